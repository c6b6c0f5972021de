/** Links to files in the output of a terminal: the escape sequence OSC 8. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isWithinPart } from "../../../src/text/place.js";
import type { Place } from "../../../src/types.js";
import type { Io, Output } from "../process-io.js";
import { isStyled } from "./terminal.js";

/** Makes a label a link to the place in its source; other terminals ignore the sequence. */
export type Hyperlink = (label: string, source: string, place: Place) => string;

/**
 * Links on a terminal, to files that exist; plain labels in a pipe, with NO_COLOR and on dumb
 * terminals.
 * @param io.cwd  folder that sources are relative to
 */
export function hyperlinkFor(output: Output, { env, cwd }: Pick<Io, "env" | "cwd">): Hyperlink {
  if (!isStyled(output, env)) return (label) => label;
  return (label, source, place) => {
    const path = resolve(cwd, source);
    if (!existsSync(path)) return label;
    const address = pathToFileURL(path);
    // Viewers of PDFs know "#page=3" (RFC 8118); terminals pass "#12" to editors as a line.
    if (isWithinPart(place)) address.hash = "";
    else if (place.page !== undefined) address.hash = `page=${place.page}`;
    else if (place.line !== undefined) address.hash = String(place.line);
    return `\u001b]8;;${address.href}\u001b\\${label}\u001b]8;;\u001b\\`;
  };
}
