/** Text in encodings older than Unicode, which Node.js can only decode. */

const TABLES = new Map<string, Map<string, number[]>>();

/** @throws Error if the encoding lacks a character of the text */
export function encodeAs(text: string, label: string): Buffer {
  const table = TABLES.get(label) ?? tableOf(label);
  TABLES.set(label, table);
  const bytes = Array.from(text, (character) => {
    const found = table.get(character);
    if (found === undefined) throw new Error(`"${character}" is not in ${label}.`);
    return found;
  });
  return Buffer.from(bytes.flat());
}

/** The bytes of each character of one or two bytes. */
function tableOf(label: string): Map<string, number[]> {
  const decoder = new TextDecoder(label, { fatal: true });
  const table = new Map<string, number[]>();
  const add = (bytes: number[]): void => {
    try {
      const character = decoder.decode(Uint8Array.from(bytes));
      if (Array.from(character).length === 1 && !table.has(character)) table.set(character, bytes);
    } catch {
      // Not a character.
    }
  };
  for (let byte = 0; byte < 256; byte++) add([byte]);
  for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) add([lead, trail]);
  return table;
}
