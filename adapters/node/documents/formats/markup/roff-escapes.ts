/** Escape sequences of roff as text (groff(7), groff_char(7)). */

const NAMED: Record<string, string> = {
  ...{
    aq: "'",
    dq: '"',
    lq: "“",
    rq: "”",
    oq: "‘",
    cq: "’",
    em: "—",
    en: "–",
    hy: "-",
    bu: "•",
    co: "©",
    rg: "®",
    tm: "™",
  },
  ...{
    ha: "^",
    ti: "~",
    rs: "\\",
    ga: "`",
    aa: "´",
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    "->": "→",
    "<-": "←",
    "+-": "±",
    mu: "×",
  },
  ...{
    de: "°",
    Fo: "«",
    Fc: "»",
    fo: "‹",
    fc: "›",
    ss: "ß",
    ":a": "ä",
    ":o": "ö",
    ":u": "ü",
    ":A": "Ä",
    ":O": "Ö",
    ":U": "Ü",
  },
  ...{
    "'e": "é",
    "`e": "è",
    "'a": "á",
    "`a": "à",
    "'o": "ó",
    "'u": "ú",
    "'i": "í",
    "~n": "ñ",
    ",c": "ç",
    "/o": "ø",
    oa: "å",
  },
  ...{
    la: "⟨",
    ra: "⟩",
    sh: "#",
    at: "@",
    sl: "/",
    or: "|",
    ba: "|",
    lB: "[",
    rB: "]",
    lC: "{",
    rC: "}",
    Do: "$",
    mi: "−",
    pl: "+",
  },
  ...{
    eu: "€",
    Eu: "€",
    Po: "£",
    Ye: "¥",
    ct: "¢",
    sc: "§",
    ps: "¶",
    if: "∞",
    "==": "≡",
    "~=": "≅",
    bv: "|",
    br: "|",
    ul: "_",
  },
};

const SINGLE: Record<string, string> = {
  "-": "-",
  e: "\\",
  " ": " ",
  "0": " ",
  "~": " ",
  "'": "´",
  "`": "`",
  ".": ".",
  "\\": "\\",
  t: " ",
};

/** Arguments of `\f`, `\s` and the like are dropped; named characters become their character. */
export function plainRoff(text: string): string {
  if (!text.includes("\\")) return text;
  return text
    .slice(0, 100_000)
    .replace(
      /\\(?:"[\s\S]*$|#[\s\S]*$|[fFgkmMnVY](?:\[([^\]]{0,200})\]|\((..)|(.))|s[-+]?(?:\[[^\]]{0,200}\]|'[^']{0,200}'|\(\d\d|\d)|\*(?:\[([^\]]{0,200})\]|\((..)|(.))|\[([^\]]{1,40})\]|\((..)|[hvlLwDoxbCNZ]'([^']{0,200})'|([\s\S]))/g,
      (whole: string, ...found: (string | undefined)[]) => {
        const name = found[6] ?? found[7];
        if (name !== undefined) return characterOf(name);
        const string = found[3] ?? found[4] ?? found[5];
        if (string !== undefined) return { lq: "“", rq: "”", R: "®", Tm: "™", "(lq": "“" }[string] ?? "";
        if (whole.startsWith("\\C'")) return characterOf(found[8] ?? "");
        return found[9] === undefined
          ? ""
          : (SINGLE[found[9]] ?? (/[&|^%:/,){}cdurpzaE]/.test(found[9]) ? "" : found[9]));
      },
    );
}

/** "u00E9" and "u0065_0301" are code points. */
function characterOf(name: string): string {
  if (Object.hasOwn(NAMED, name)) return NAMED[name]!;
  if (!/^u[0-9A-F]{4,6}(?:_[0-9A-F]{4,6})*$/.test(name)) return "";
  const points = name
    .slice(1)
    .split("_")
    .map((hex) => Number.parseInt(hex, 16));
  return points.every((point) => point <= 0x10ffff) ? String.fromCodePoint(...points).normalize() : "";
}
