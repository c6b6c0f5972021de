/**
 * The character maps (CMaps) that PDFs in Chinese, Japanese and Korean name without containing them:
 * what the codes of their text mean. Without the map, the text of such a font is lost.
 */

import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** In the built package, and in its sources. */
const PLACES = [join("web", "assets", "cmaps"), join("node_modules", "pdfjs-dist", "cmaps")];

let folder: string | undefined;

/** The folder with the maps, as pdf.js expects it: a path that ends in a separator. Undefined if there is none. */
export function characterMapFolder(): string | undefined {
  folder ??= foldersAbove(dirname(fileURLToPath(import.meta.url)))
    .flatMap((above) => PLACES.map((place) => join(above, place) + sep))
    .find((place) => existsSync(join(place, "UniGB-UCS2-H.bcmap")));
  return folder;
}

/** The folder itself and those that it is in, the nearest first. */
function foldersAbove(start: string): string[] {
  const above = dirname(start);
  return above === start ? [start] : [start, ...foldersAbove(above)];
}
