/** Which documents of an upload may be added: a record chooses its id, so it is held to the rules of PUT. */

import type { Document, MetadataValue } from "../../../src/types.js";
import { RecordSkips } from "../../node/documents/formats/records.js";
import type { SkippedInput } from "../../node/documents/input.js";
import { isNewId, MAX_NEW_ID_UNITS } from "../document-ids.js";

/** UTF-16 units of an id in a message. */
const SHOWN_UNITS = 80;

interface Options {
  /** Name of the uploaded file: the id of its own document, and the beginning of ids that are made for its parts. */
  name: string;
  /** The index's document with an id. */
  find: (
    id: string,
  ) => Promise<{ source: string; metadata: Readonly<Record<string, MetadataValue>> } | undefined> | undefined;
  onSkip: (skip: SkippedInput) => void;
}

/**
 * The documents without records whose ids are refused: paths outside the working folder, ids that are too long or have
 * control characters, and ids of documents that belong to a file. Refused ones are reported.
 */
export async function* addableRecords(
  documents: AsyncIterable<Document>,
  { name, find, onSkip }: Options,
): AsyncGenerator<Document> {
  const skips = new RecordSkips((skip) => onSkip({ source: name, ...skip }));
  try {
    for await (const document of documents) {
      const { id, map } = document;
      const refusal = id === name || id.startsWith(`${name}#`) ? undefined : await refusalOf(id, find);
      if (refusal === undefined) {
        yield document;
        continue;
      }
      const { line } = map.segments[0] ?? {};
      const where = line === undefined ? "has a record" : `line ${line}: has a record`;
      const shown = JSON.stringify(id.length > SHOWN_UNITS ? `${id.slice(0, SHOWN_UNITS)}…` : id);
      const { reason, ...rest } = refusal;
      skips.report({ reason: `${where} with the id ${shown}, which ${reason}`, code: "unreadable-document", ...rest });
    }
  } finally {
    skips.finish();
  }
}

/** Why a record cannot have an id; `reason` continues "which ". */
async function refusalOf(
  id: string,
  find: Options["find"],
): Promise<Pick<SkippedInput, "reason" | "hint" | "otherSource"> | undefined> {
  if (!isNewId(id)) {
    return {
      reason: "is a path outside the working folder, has control characters, or is too long",
      hint: `Give each record a relative id without .. of at most ${MAX_NEW_ID_UNITS} characters.`,
    };
  }
  const known = await find(id);
  if (known === undefined || known.metadata["file.folder"] === undefined) return undefined;
  const { source } = known;
  return { reason: `belongs to ${source}`, hint: "Give each document an id of its own.", otherSource: source };
}
