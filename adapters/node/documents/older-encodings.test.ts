/** Western text of DOS and old Macs is recognised, and windows-1252 is never taken for it. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { streamText } from "./decode.js";
import { decodeAs, olderEncodingOf } from "./older-encodings.js";

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);

/** The bytes of a text, without the characters that an encoding lacks. */
function encode(text: string, encoding: string): Uint8Array {
  const characters = decodeAs(ALL_BYTES, encoding);
  return Uint8Array.from(Array.from(text, (c) => characters.indexOf(c)).filter((byte) => byte >= 0));
}

const documentOf = (name: string): string => readFileSync(`test/languages/documents/${name}.md`, "utf8");
const WESTERN = [
  ...["de-hausordnung", "de-vereinsprotokoll", "en-allotment-rules", "es-cafetera", "es-comunidad-piscina"],
  ...["fr-assurance-voyage", "fr-jardin-partage", "it-campo-estivo", "it-condominio", "nl-volkstuin"],
  ...["pt-biblioteca", "pt-maquina-lavar"],
];

describe("olderEncodingOf", () => {
  it.each(["de-vereinsprotokoll", "es-cafetera", "fr-jardin-partage", "it-campo-estivo", "pt-biblioteca"])(
    "recognises the encodings of DOS and Mac: %s",
    (name) => {
      for (const encoding of ["ibm850", "macintosh"])
        expect(olderEncodingOf(encode(documentOf(name), encoding))).toBe(encoding);
    },
  );

  it.each([
    ["ibm850", "R\x94hren f\x81r M\x84rz", "Röhren für März"],
    ["ibm850", "La r\x82union d\x82cid\x82e \x85 cinq heures", "La réunion décidée à cinq heures"],
    ["macintosh", "caf\x8e cr\x8fme br\x9el\x8ee", "café crème brûlée"],
    ["macintosh", "I don\xd5t. ItÕs \xd2here,\xd3 they\xd5d say.", "I don’t. It’s “here,” they’d say."],
  ])("decodes %s: %j", (encoding, latin1, text) => {
    const bytes = Buffer.from(latin1, "latin1");
    expect(olderEncodingOf(bytes)).toBe(encoding);
    expect(decodeAs(bytes, encoding)).toBe(text);
  });

  it.each(WESTERN)("takes no part of windows-1252 for DOS or Mac: %s", (name) => {
    const text = documentOf(name);
    for (const part of [text, ...text.split("\n"), text.toUpperCase()])
      expect(olderEncodingOf(encode(part, "windows-1252"))).not.toMatch(/ibm850|macintosh/);
  });

  it.each([
    "It’s the dogs’ “old” tower—we’ll see… it’s hot–cold.",
    "ba•na•na, to•ma•to, po•ta•to, a·pri·cot",
    "Ærø, Ångström, ÉTÉ, L’ÎLE, Œuvre, Žižek, Škoda, Dvořák",
    "5 £, 6 €, 7 ¥, § 8, 9°, ½ × ¾, ± 1, «oui», ¿qué?, ™, ®",
  ])("reads %s as windows-1252", (text) => {
    const bytes = encode(text, "windows-1252");
    expect(olderEncodingOf(bytes)).not.toMatch(/ibm850|macintosh/);
  });

  it("keeps text with fewer signs of another encoding as it was", () => {
    expect(olderEncodingOf(Buffer.from("caf\x82 cr\x8ame", "latin1"))).toBe("windows-1252");
  });
});

describe("streamText", () => {
  it("decodes DOS text in pieces", async () => {
    const text = documentOf("fr-jardin-partage").replaceAll("’", "'");
    const bytes = encode(text, "ibm850");
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700);
    }
    let read = "";
    for await (const piece of streamText(pieces(), bytes).text) read += piece;
    expect(read).toBe(decodeAs(bytes, "ibm850"));
    expect(read).toContain("réunion du jardin partagé");
  });
});
