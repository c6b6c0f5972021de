/** A linear layer (src/kernel/linear.ts). */

/**
 * out = W·x + bias, each sum in double precision in the order of x. Four outputs at a time hide the
 * latency of the additions, each of which depends on the one before.
 */
export function linear(weight: usize, bias: usize, x: usize, inputs: usize, outputs: usize, out: usize): void {
  const row = inputs << 2;
  const end = out + (outputs << 2);
  for (; out + 16 <= end; out += 16, bias += 16, weight += row << 2) {
    let a: f64 = load<f32>(bias);
    let b: f64 = load<f32>(bias, 4);
    let c: f64 = load<f32>(bias, 8);
    let d: f64 = load<f32>(bias, 12);
    for (let h: usize = 0; h < row; h += 4) {
      const value: f64 = load<f32>(x + h);
      const at = weight + h;
      a += <f64>load<f32>(at) * value;
      b += <f64>load<f32>(at + row) * value;
      c += <f64>load<f32>(at + (row << 1)) * value;
      d += <f64>load<f32>(at + row * 3) * value;
    }
    store<f32>(out, <f32>a);
    store<f32>(out, <f32>b, 4);
    store<f32>(out, <f32>c, 8);
    store<f32>(out, <f32>d, 12);
  }
  for (; out < end; out += 4, bias += 4, weight += row) {
    let sum: f64 = load<f32>(bias);
    for (let h: usize = 0; h < row; h += 4) sum += <f64>load<f32>(weight + h) * <f64>load<f32>(x + h);
    store<f32>(out, <f32>sum);
  }
}
