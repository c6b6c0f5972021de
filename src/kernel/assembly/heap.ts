/** A min-heap of the best rows' keys. */

/** One comparable key per row: higher score first, then the smaller row number. */
export function keyOf(score: i32, row: usize): i64 {
  return ((<i64>score) << 32) | <i64>(0xffffffff - <u64>row);
}

/** Puts `key` into the hole at `hole` of a min-heap of `count` keys, moving smaller children up. */
function siftDown(heap: usize, count: usize, key: i64): void {
  let hole: usize = 0;
  for (;;) {
    let child: usize = (hole << 1) + 1;
    if (child >= count) break;
    let least = load<i64>(heap + (child << 3));
    if (child + 1 < count) {
      const other = load<i64>(heap + ((child + 1) << 3));
      if (other < least) {
        least = other;
        child++;
      }
    }
    if (least >= key) break;
    store<i64>(heap + (hole << 3), least);
    hole = child;
  }
  store<i64>(heap + (hole << 3), key);
}

export function siftUp(heap: usize, last: usize, key: i64): void {
  let hole = last;
  while (hole > 0) {
    const parent = (hole - 1) >> 1;
    const above = load<i64>(heap + (parent << 3));
    if (above <= key) break;
    store<i64>(heap + (hole << 3), above);
    hole = parent;
  }
  store<i64>(heap + (hole << 3), key);
}

/** Offers four rows to a full heap. Returns the score of the worst kept row. */
export function offer4(heap: usize, k: usize, four: v128, id: usize, worst: i32): i32 {
  const a = i32x4.extract_lane(four, 0);
  const b = i32x4.extract_lane(four, 1);
  const c = i32x4.extract_lane(four, 2);
  const d = i32x4.extract_lane(four, 3);
  if (a > worst) worst = replaceWorst(heap, k, keyOf(a, id));
  if (b > worst) worst = replaceWorst(heap, k, keyOf(b, id + 1));
  if (c > worst) worst = replaceWorst(heap, k, keyOf(c, id + 2));
  if (d > worst) worst = replaceWorst(heap, k, keyOf(d, id + 3));
  return worst;
}

export function replaceWorst(heap: usize, k: usize, key: i64): i32 {
  siftDown(heap, k, key);
  return <i32>(load<i64>(heap) >> 32);
}

/** Heap sort, best key first: repeatedly moves the worst key to the end. */
export function sortKeys(heap: usize, filled: usize): void {
  for (let count = filled; count > 1; count--) {
    const last = heap + ((count - 1) << 3);
    const key = load<i64>(last);
    store<i64>(last, load<i64>(heap));
    siftDown(heap, count - 1, key);
  }
}
