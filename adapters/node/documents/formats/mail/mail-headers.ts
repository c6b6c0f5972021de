/** Headers of a mail: as fields of its document, and as the first lines of its text. */

import type { Address, Email } from "postal-mime";
import { oneLine } from "../../../../../src/text/one-line.js";
import type { SourceMark, TextBuilder } from "../text-builder.js";

/** Further addresses of one header are left out. */
const MAX_ADDRESSES = 100;
/** The rest of a longer header is left out of the text. */
const MAX_HEADER_UNITS = 2000;

export function writeHeaders(email: Email, builder: TextBuilder, mark: SourceMark): void {
  const { from, subject } = fieldsOf(email);
  for (const [name, value] of Object.entries({
    From: from,
    To: shownAddresses(email.to).join(", "),
    Cc: shownAddresses(email.cc).join(", "),
    Date: dateHeader(email),
    Subject: subject,
  })) {
    if (value === undefined || value === "") continue;
    builder.write(`${name}: ${value.slice(0, MAX_HEADER_UNITS)}`, mark);
    builder.separate("\n");
  }
  builder.separate("\n\n");
}

/** As the sender's program wrote it, in the sender's time. */
function dateHeader(email: Email): string | undefined {
  const header = email.headers.find(({ key }) => key === "date");
  return header === undefined ? undefined : oneLine(header.value);
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/** The sender's day as YYYY-MM-DD; undefined for a date that is not valid. */
function sentOn(email: Email): string | undefined {
  const sent = email.date === undefined ? Number.NaN : Date.parse(email.date);
  if (Number.isNaN(sent)) return undefined;
  const [, day = "", name = "", year] =
    /\b(\d{1,2})[\s-]([a-z]{3})[a-z]*[\s-](\d{4})\b/i.exec(dateHeader(email) ?? "") ?? [];
  const month = MONTHS.indexOf(name.toLowerCase()) + 1;
  if (month === 0) return new Date(sent).toISOString().slice(0, 10);
  return `${year}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}`;
}

/** The fields of a mail. `to` has the recipients of copies, too. */
export function fieldsOf(email: Email) {
  const { from, to, cc, subject } = email;
  const recipients = shownAddresses([...(to ?? []), ...(cc ?? [])]);
  return {
    from: from && shownAddress(from),
    to: recipients.length === 0 ? undefined : recipients,
    date: sentOn(email),
    subject: subject === undefined ? undefined : oneLine(subject),
  };
}

const shownAddresses = (addresses: readonly Address[] = []): string[] =>
  addresses.slice(0, MAX_ADDRESSES).map(shownAddress);

function shownAddress({ name, address, group }: Address): string {
  if (group !== undefined) return name;
  if (!address) return name;
  return name ? `${name} <${address}>` : address;
}
