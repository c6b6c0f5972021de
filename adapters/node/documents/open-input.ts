/** Opening an input: the file that was listed and no other, read in order, once. */

import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, type Stats, statSync } from "node:fs";
import type { InputFile } from "./input.js";
import { unreadable } from "./skip.js";

const READ_BYTES = 256 * 1024;
/** Read at the expected end of a file, where there is usually nothing. */
const PROBE_BYTES = 4096;
/** Windows has neither; there, symlinks need a privilege to be made. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

export interface OpenInput {
  /** Bytes when opened; undefined for content that is not in a file. */
  size: number | undefined;
  stream: AsyncGenerator<Uint8Array>;
  /**
   * @throws VerbatimError `unreadable-document` if the file was replaced, or has another size or time, since it was
   *   opened
   */
  assertUnchanged(): void;
  close(): Promise<void>;
}

/**
 * Opens a file, or content from elsewhere. File calls are synchronous: this runs in a process of its own, where
 * waiting for the disk delays nothing and a call costs a tenth of an asynchronous one.
 * @param options.content  read instead of the file
 * @param options.onProgress  bytes read so far, after each read
 * @throws VerbatimError `unreadable-document`, and errors of the file system
 */
export function openInput(
  input: InputFile,
  options: { content?: AsyncIterable<Uint8Array>; onProgress?: (bytesRead: number) => void },
): OpenInput {
  if (options.content !== undefined) {
    const stream = countedBytes(options.content, options.onProgress);
    return { size: undefined, stream, assertUnchanged: () => {}, close: async () => void (await stream.return(null)) };
  }
  const { absolutePath, identity } = input;
  // O_NONBLOCK: a named pipe in the place of a file must not make the call wait for a writer.
  const flags = O_RDONLY | O_NONBLOCK | (identity === undefined ? 0 : O_NOFOLLOW);
  const file = openFile(identity?.realPath ?? absolutePath, flags);
  try {
    const opened = fstatSync(file);
    if (!opened.isFile()) throw unreadable("is not a regular file", "Pipe its content in: … | verbatim index -");
    if (!isListedFile(input, file, opened)) {
      throw unreadable("was replaced by another file after it was listed", "Run the command again.");
    }
    const assertUnchanged = () => {
      const now = statSync(absolutePath, { throwIfNoEntry: false });
      if (now === undefined)
        throw unreadable(
          "vanished while it was read",
          "Run the command again when nothing else is changing the folder.",
        );
      if (now.ino !== opened.ino || now.size !== opened.size || now.mtimeMs !== opened.mtimeMs) {
        throw unreadable("changed while it was read", "Run the command again.");
      }
    };
    const close = async () => closeSync(file);
    return { size: opened.size, stream: fileBytes(file, opened.size, options.onProgress), assertUnchanged, close };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function openFile(path: string, flags: number): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    const isLink = (flags & O_NOFOLLOW) !== 0 && (error as NodeJS.ErrnoException).code === "ELOOP";
    throw isLink ? unreadable("became a symlink after it was listed", "Run the command again.") : error;
  }
}

/**
 * Whether an open file is the one that was listed: the same inode, or, for a file that was saved again in the meantime,
 * the same path without symlinks as the system knows it (Linux).
 */
function isListedFile({ identity }: InputFile, file: number, opened: Stats): boolean {
  if (identity === undefined) return true;
  if (opened.dev === identity.device && opened.ino === identity.inode) return true;
  try {
    return readlinkSync(`/proc/self/fd/${file}`) === identity.realPath;
  } catch {
    return false;
  }
}

/** @param size  bytes expected; a file that has grown gives more */
async function* fileBytes(
  file: number,
  size: number,
  onProgress?: (bytesRead: number) => void,
): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const buffer = new Uint8Array(position < size ? Math.min(size - position, READ_BYTES) : PROBE_BYTES);
    const bytesRead = readSync(file, buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    onProgress?.(position);
    yield bytesRead === buffer.length ? buffer : buffer.slice(0, bytesRead);
  }
}

async function* countedBytes(
  content: AsyncIterable<Uint8Array>,
  onProgress?: (bytesRead: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytesRead = 0;
  for await (const part of content) {
    bytesRead += part.length;
    onProgress?.(bytesRead);
    yield part;
  }
}
