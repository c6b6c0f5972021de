/**
 * The picture of a PDF page that has no text layer: its images, drawn in shades of grey where the page shows them.
 * Scanners write one image per page, strips of it, or a background with a mask of the letters. Lines, filled shapes
 * and clipping are not drawn.
 */

import { type DrawnImage, greyOf, type PdfImage } from "./drawn-images.js";

interface GreyPicture {
  width: number;
  height: number;
  /** One byte per pixel, row by row from the top; 0 is black. */
  pixels: Uint8Array;
}

/** Letters in print have 25 to 40 pixels at this resolution: more takes longer and is not read better. */
const MAX_DPI = 300;
const POINTS_PER_INCH = 72;

/**
 * Pixels per 1/72 inch that show the images without loss, at most 300 dpi, and fewer where the page would have more
 * than `maxPixels`.
 */
export function scaleFor(
  images: readonly DrawnImage[],
  page: { width: number; height: number },
  maxPixels: number,
): number {
  let scale = 1;
  for (const { image, matrix } of images) {
    const [a, b, c, d] = matrix;
    scale = Math.max(scale, image.width / Math.hypot(a, b), image.height / Math.hypot(c, d));
  }
  return Math.min(scale, MAX_DPI / POINTS_PER_INCH, Math.sqrt(maxPixels / (page.width * page.height)));
}

/** The share of the page that its largest image covers, 0 to 1. */
export function coverage(images: readonly DrawnImage[], page: { width: number; height: number }): number {
  const areas = images.map(({ matrix: [a, b, c, d] }) => Math.abs(a * d - b * c));
  return Math.min(1, Math.max(0, ...areas) / (page.width * page.height));
}

/** Draws the images on white. */
export function drawPage(
  images: readonly DrawnImage[],
  page: { width: number; height: number; scale: number },
): GreyPicture {
  const width = Math.max(1, Math.round(page.width * page.scale));
  const height = Math.max(1, Math.round(page.height * page.scale));
  const picture = { width, height, pixels: new Uint8Array(width * height).fill(255) };
  for (const image of images) draw(picture, image, page.scale);
  return picture;
}

/** As a file that Tesseract reads. */
export function pgmOf({ width, height, pixels }: GreyPicture): Uint8Array {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, "latin1"), pixels]);
}

/** Each pixel of the picture is the mean of the pixels of the image that it covers, at most MAX_MEAN × MAX_MEAN. */
const MAX_MEAN = 4;

function draw(picture: GreyPicture, { image, maskShade, matrix }: DrawnImage, scale: number): void {
  // From the image's pixels to those of the picture; PDF draws the first row of an image at the top of its square.
  const [a, b, c, d, e, f] = matrix.map((value) => value * scale) as unknown as typeof matrix;
  const [ax, ay] = [a / image.width, b / image.width];
  const [bx, by] = [-c / image.height, -d / image.height];
  const [ox, oy] = [e + c, f + d];
  const determinant = ax * by - bx * ay;
  if (!Number.isFinite(1 / determinant)) return;
  const corners = [
    [ox, oy],
    [ox + a, oy + b],
    [ox - c, oy - d],
    [ox + a - c, oy + b - d],
  ] as const;
  const range = (values: number[], size: number) =>
    [Math.max(0, Math.floor(Math.min(...values))), Math.min(size, Math.ceil(Math.max(...values)))] as const;
  const [left, right] = range(
    corners.map(([x]) => x),
    picture.width,
  );
  const [top, bottom] = range(
    corners.map(([, y]) => y),
    picture.height,
  );
  const step = Math.sqrt(Math.abs(1 / determinant));
  const mean = Math.max(1, Math.min(MAX_MEAN, Math.round(step)));
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      let sum = 0;
      let weight = 0;
      for (let k = 0; k < mean * mean; k++) {
        const px = x + ((k % mean) + 0.5) / mean - ox;
        const py = y + (Math.floor(k / mean) + 0.5) / mean - oy;
        const u = Math.floor((px * by - py * bx) / determinant);
        const v = Math.floor((py * ax - px * ay) / determinant);
        if (u < 0 || v < 0 || u >= image.width || v >= image.height) continue;
        const at = v * image.width + u;
        const alpha = maskShade === undefined ? alphaAt(image, at) : bitAt(image, u, v) ? 0 : 1;
        sum += alpha * (maskShade ?? greyAt(image, u, v));
        weight += alpha;
      }
      if (weight === 0) continue;
      const at = y * picture.width + x;
      const share = weight / (mean * mean);
      picture.pixels[at] = Math.round(share * (sum / weight) + (1 - share) * picture.pixels[at]!);
    }
  }
}

function greyAt({ width, kind, data }: PdfImage, u: number, v: number): number {
  if (kind !== 2 && kind !== 3) return bitAt({ width, data }, u, v) ? 255 : 0;
  const at = (v * width + u) * (kind + 1);
  return greyOf(data[at]!, data[at + 1]!, data[at + 2]!);
}

function alphaAt({ kind, data }: PdfImage, pixel: number): number {
  return kind === 3 ? data[4 * pixel + 3]! / 255 : 1;
}

function bitAt({ width, data }: Pick<PdfImage, "width" | "data">, u: number, v: number): boolean {
  return ((data[v * ((width + 7) >> 3) + (u >> 3)]! >> (7 - (u & 7))) & 1) === 1;
}
