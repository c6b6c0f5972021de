/** What files of office programs share: the parts of the archive, and why one cannot be read. */

import type { ReadContext } from "../../input.js";
import type { ReadLimits } from "../../limits.js";
import { unreadable } from "../../skip.js";
import { elementText, readXmlElements, type XmlElement } from "../xml.js";
import { assertNoZipBomb, listZip, readZipEntry, type ZipEntry } from "../zip.js";
import { readXmlStream, type XmlEvents } from "./xml-stream.js";

/** Start of an OLE container: what Office writes around a document with a password, and its formats before 2007. */
const OLE_MAGIC = [0xd0, 0xcf, 0x11, 0xe0];

/** @throws VerbatimError `unreadable-document` when password-protected, or of the old formats */
export function assertNotOle(bytes: Uint8Array, ending: string): void {
  if (!OLE_MAGIC.every((byte, at) => bytes[at] === byte)) return;
  const isEncrypted = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(
    Buffer.from("EncryptedPackage", "utf16le"),
  );
  if (isEncrypted) throw unreadable("is password-protected", "Save it without a password.");
  throw unreadable(`is not a .${ending}x file (it holds an old .${ending})`, `Save it as .${ending}x.`);
}

/** An archive of XML parts, checked for bombs before anything is inflated. */
export class OfficeArchive {
  readonly #bytes: Uint8Array;
  readonly #limits: ReadLimits;
  readonly #onPart: () => void;
  readonly #entries: Map<string, ZipEntry>;
  /** Part names that differ only in case are the same (ECMA-376 part 2, part name equivalence). */
  readonly #byLowerCase: Map<string, ZipEntry>;

  /** @throws VerbatimError `unreadable-document` when damaged, or a zip bomb */
  constructor(bytes: Uint8Array, { limits, onPart }: ReadContext) {
    const entries = listZip(bytes);
    assertNoZipBomb(entries, bytes.length, limits);
    this.#bytes = bytes;
    this.#limits = limits;
    this.#onPart = onPart;
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
    this.#byLowerCase = new Map(entries.map((entry) => [entry.name.toLowerCase(), entry]));
  }

  has(name: string): boolean {
    return this.#entry(name) !== undefined;
  }

  names(): string[] {
    return [...this.#entries.keys()];
  }

  /** The content of a part that is small enough to be held; undefined if there is none. */
  part(name: string): Uint8Array | undefined {
    const entry = this.#entry(name);
    return entry && readZipEntry(this.#bytes, entry);
  }

  /** All elements of a small part; [] if it is missing or broken. For what a document can do without. */
  elements(name: string): XmlElement[] {
    const entry = this.#entry(name);
    if (entry === undefined) return [];
    try {
      return readXmlElements(readZipEntry(this.#bytes, entry), this.#limits);
    } catch {
      return [];
    }
  }

  /**
   * Reads a part of any size.
   * @throws VerbatimError `unreadable-document` when it is missing, broken, or beyond the limits
   */
  async stream(name: string, events: XmlEvents, options: { maxElements?: number } = {}): Promise<void> {
    const entry = this.#entry(name);
    if (entry === undefined) throw unreadable(`is damaged (${name} is missing)`, "Save it again.");
    const source = { bytes: this.#bytes, entry, limits: this.#limits, onPart: this.#onPart, ...options };
    await readXmlStream(source, events);
  }

  /** Targets of a part's relationships by id, as paths in the archive. External ones are left out. */
  relations(part: string): Map<string, { path: string; type: string }> {
    const slash = part.lastIndexOf("/");
    const folder = part.slice(0, slash + 1);
    return relationTargets(this.elements(`${folder}_rels/${part.slice(slash + 1)}.rels`), folder);
  }

  #entry(name: string): ZipEntry | undefined {
    return this.#entries.get(name) ?? this.#byLowerCase.get(name.toLowerCase());
  }

  /** Title and author of an Office Open XML file; "" where there is none. */
  properties(): { title: string; author: string } {
    return coreProperties(this.elements("docProps/core.xml"));
  }
}

/** Title and author in the elements of `docProps/core.xml`; "" where there is none. */
export function coreProperties(elements: readonly XmlElement[]): { title: string; author: string } {
  return { title: elementText(elements, "title"), author: elementText(elements, "creator") };
}

/**
 * Targets of the relationships in the elements of a `.rels` part by id. External ones are left out.
 * @param folder  of the part that has the relationships: "word/"
 */
export function relationTargets(
  elements: readonly XmlElement[],
  folder: string,
): Map<string, { path: string; type: string }> {
  const targets = new Map<string, { path: string; type: string }>();
  for (const { name, attributes } of elements) {
    const { Id, Target, TargetMode, Type = "" } = attributes;
    if (name !== "Relationship" || Id === undefined || Target === undefined || TargetMode === "External") continue;
    targets.set(Id, { path: resolvePath(folder, Target), type: Type.slice(Type.lastIndexOf("/") + 1) });
  }
  return targets;
}

/** "../media/a.png" from "ppt/slides/" is "ppt/media/a.png". */
function resolvePath(folder: string, target: string): string {
  const parts = target.startsWith("/") ? [] : folder.split("/").slice(0, -1);
  for (const part of target.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}
