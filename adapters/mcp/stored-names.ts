/** Ids and sources as the index stores them, for callers that may read the user's files anyway. */

import type { MetadataValue } from "../../src/types.js";
import { PathRedactor } from "../server/http/path-redactor.js";

export class StoredNames extends PathRedactor {
  constructor() {
    super([]);
  }

  override redact(id: string): string {
    return id;
  }

  override redactSource(source: string): string {
    return source;
  }

  override redactMetadata(metadata: Readonly<Record<string, MetadataValue>>): Record<string, MetadataValue> {
    return { ...metadata };
  }
}
