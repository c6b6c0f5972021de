/** The size of a picture, from the first bytes of its file: what it needs in memory is known before it is decoded. */

interface PictureSize {
  width: number;
  height: number;
}

/** The pages of a picture file: one, or each picture of a TIFF. */
interface PicturePage extends PictureSize {
  /** The file with this page first. */
  bytes: Uint8Array;
  /** How the picture must be turned to be upright: 1 to 8, as in Exif. */
  orientation: number;
}

/** Pages of a TIFF that are read; a chain of them may lead in a circle. */
const MAX_TIFF_PAGES = 10_000;

/** The pages of a PNG, JPEG or TIFF; undefined for another or a damaged file. */
export function* picturePages(bytes: Uint8Array): Generator<PicturePage> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (view.getUint32(0) === 0x89504e47) {
      yield { bytes, width: view.getUint32(16), height: view.getUint32(20), orientation: 1 };
    } else if (view.getUint16(0) === 0xffd8) yield { bytes, ...jpegSize(view) };
    else yield* tiffPages(bytes, view);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // the file ends too early
  }
}

/** ITU-T T.81, B.2.2: a start of frame has the size; in APP1, Exif 2.3 has the orientation. */
function jpegSize(view: DataView): PictureSize & { orientation: number } {
  let orientation = 1;
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) throw new RangeError("no marker");
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7), orientation };
    const length = view.getUint16(at + 2);
    if (marker === 0xe1 && length > 16 && view.getUint32(at + 4) === 0x45786966) {
      const exif = new DataView(view.buffer, view.byteOffset + at + 10, length - 8);
      orientation = tiffDirectory(exif, tiffStart(exif))?.orientation ?? 1;
    }
    at += 2 + length;
  }
}

/** TIFF 6.0, section 2: a chain of directories, one for each page. */
function* tiffPages(bytes: Uint8Array, view: DataView): Generator<PicturePage> {
  const start = tiffStart(view);
  const seen = new Set<number>();
  for (let at = start.first; at !== 0 && !seen.has(at) && seen.size < MAX_TIFF_PAGES; ) {
    seen.add(at);
    const directory = tiffDirectory(view, { ...start, first: at });
    if (directory === undefined) return;
    const { width, height, next, isPreview } = directory;
    // The decoder turns the pictures of a TIFF itself.
    if (width > 0 && height > 0 && !isPreview) {
      yield { bytes: at === start.first ? bytes : withFirstPage(bytes, at, start), width, height, orientation: 1 };
    }
    at = next;
  }
}

interface TiffStart {
  littleEndian: boolean;
  /** Offset of the first directory; 0 if this is no TIFF. */
  first: number;
}

function tiffStart(view: DataView): TiffStart {
  const order = view.getUint16(0);
  const littleEndian = order === 0x4949;
  const isTiff = (littleEndian || order === 0x4d4d) && view.getUint16(2, littleEndian) === 42;
  return { littleEndian, first: isTiff ? view.getUint32(4, littleEndian) : 0 };
}

const TAG = { subfileType: 254, width: 256, height: 257, orientation: 274 };
const SHORT = 3;

function tiffDirectory(view: DataView, { littleEndian, first }: TiffStart) {
  if (first === 0) return undefined;
  const entries = view.getUint16(first, littleEndian);
  const values = new Map<number, number>();
  for (let i = 0; i < entries; i++) {
    const at = first + 2 + 12 * i;
    const isShort = view.getUint16(at + 2, littleEndian) === SHORT;
    const value = isShort ? view.getUint16(at + 8, littleEndian) : view.getUint32(at + 8, littleEndian);
    values.set(view.getUint16(at, littleEndian), value);
  }
  const end = first + 2 + 12 * entries;
  return {
    width: values.get(TAG.width) ?? 0,
    height: values.get(TAG.height) ?? 0,
    orientation: values.get(TAG.orientation) ?? 1,
    isPreview: ((values.get(TAG.subfileType) ?? 0) & 1) === 1,
    next: end + 4 <= view.byteLength ? view.getUint32(end, littleEndian) : 0,
  };
}

/** A TIFF whose header points to another directory, so that a decoder which reads one page reads that one. */
function withFirstPage(bytes: Uint8Array, directory: number, { littleEndian }: TiffStart): Uint8Array {
  const copy = Uint8Array.from(bytes);
  new DataView(copy.buffer).setUint32(4, directory, littleEndian);
  return copy;
}
