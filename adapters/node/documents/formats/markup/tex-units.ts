/** Quantities of LaTeX's siunitx: "\SI{10}{\metre\per\second}" as "10 m/s". */

const UNITS: Readonly<Record<string, string>> = {
  ...{ metre: "m", meter: "m", gram: "g", second: "s", ampere: "A", kelvin: "K", mole: "mol", candela: "cd" },
  ...{ hertz: "Hz", newton: "N", pascal: "Pa", joule: "J", watt: "W", volt: "V", ohm: "Ω", farad: "F", tesla: "T" },
  ...{
    celsius: "°C",
    degreeCelsius: "°C",
    degree: "°",
    percent: "%",
    litre: "l",
    liter: "L",
    tonne: "t",
    hectare: "ha",
  },
  ...{ minute: "min", hour: "h", day: "d", bar: "bar", decibel: "dB", electronvolt: "eV", byte: "B", bit: "bit" },
  ...{ nano: "n", micro: "µ", milli: "m", centi: "c", deci: "d", hecto: "h", kilo: "k", mega: "M", giga: "G" },
  ...{ pico: "p", deca: "da", peta: "P", tera: "T", squared: "²", cubed: "³" },
};
const PREFIXES = new Set("pico deca peta nano micro milli centi deci hecto kilo mega giga tera".split(" "));
/** Written right after the number. */
const UNSPACED = new Set(["°", "%"]);

/**
 * The unit that siunitx prints, with "/" for `\per`; names that are not known are kept.
 * @param source  the argument: commands, or plain text as in "m/s"
 */
export function unitOf(source: string): string {
  let unit = "";
  /** Of `\square` and `\cubic`, which come before what they raise. */
  let raised = "";
  for (const [, command, plain = ""] of source.matchAll(/\\([a-zA-Z]+)|([^\\]+)/g)) {
    if (command === "square" || command === "cubic") raised = command === "square" ? "²" : "³";
    else if (command === "per") unit += "/";
    else if (command === undefined) unit += plain.replaceAll("~", " ").trim();
    else {
      unit += Object.hasOwn(UNITS, command) ? UNITS[command]! : command;
      if (PREFIXES.has(command)) continue;
      unit += raised;
      raised = "";
    }
  }
  return unit;
}

/** "10" and "m/s" as "10 m/s". */
export function quantity(number: string, unit: string): string {
  return unit === "" || UNSPACED.has(unit) ? number + unit : `${number} ${unit}`;
}

/** A number as siunitx writes it: "1.5e3" as "1.5 × 10^3", "\pm" as "±". */
export function numberOf(source: string): string {
  return source
    .replace(/\\pm|\+-/g, " ± ")
    .replace(/(\d)\s*[eE]\s*([+-]?\d+)/g, "$1 × 10^$2")
    .replace(/[{}\\]/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
