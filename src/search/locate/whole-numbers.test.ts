import { describe, expect, it } from "vitest";
import { wholeNumbers } from "./whole-numbers.js";

function whole(text: string, span: string): string {
  const at = text.lastIndexOf(span);
  const { start, end } = wholeNumbers(text, at, at + span.length);
  return text.slice(start, end);
}

describe("wholeNumbers", () => {
  it.each([
    ["Die Miete beträgt 12,50 Euro.", "50 Euro", "12,50 Euro"],
    ["Die Miete beträgt 12,50 Euro.", "12", "12,50"],
    ["It cost $1,250.00 in all.", "250.00", "1,250.00"],
    ["It cost 1.000.000 zł.", "000 zł", "1.000.000 zł"],
    ["Ab 10:30 Uhr ist offen.", "30 Uhr", "10:30 Uhr"],
    ["Rund 12\u202f500 Gäste kamen.", "500 Gäste", "12\u202f500 Gäste"],
    ["The address is 10.0.0.255.", "255", "10.0.0.255"],
    ["Write to maria.oneill@pumps-example.co.uk or call.", "oneill@pumps", "maria.oneill@pumps-example.co.uk"],
    [
      "See https://www.example.org/a/v2.1/index.html?lang=en#top.",
      "v2.1",
      "https://www.example.org/a/v2.1/index.html?lang=en#top",
    ],
    ["See www.example.org, or ask.", "www.example", "www.example.org"],
    ["The profit was -$3.4 million.", "$3.4 million", "-$3.4 million"],
    ["The balance is –120 €.", "120 €", "–120 €"],
    ["It fell to −42.3 °C at night.", "42.3 °C", "−42.3 °C"],
    ["(-5)", "5", "-5"],
    ["It is rated AA-, as before.", "AA", "AA-"],
    ["Her blood group is A+.", "A", "A+"],
  ])("in %j makes %j whole", (text, span, expected) => {
    expect(whole(text, span)).toBe(expected);
  });

  it.each([
    ["Am 3.10.2024 war Feiertag.", "2024"],
    ["Version 2.4.1 is old.", "4"],
    ["In Zimmer 10, 11 und 12.", "11"],
    ["It was built in 2019. 30 people came.", "30 people"],
    ["Es kostet 12,50 Euro.", "12,50 Euro"],
    ["At 10:30:15 it rang.", "30"],
    ["From 3-5 people came.", "5"],
    ["Rooms A-5 and B-7.", "7"],
    ["It costs 12 % – 15 % more.", "15 %"],
    ["In 2019 - 30 people came.", "30 people"],
    ["Written in C++.", "C"],
    ["Written on A-levels.", "A"],
    ["In Plan B. Then", "B"],
  ])("in %j leaves %j", (text, span) => {
    expect(whole(text, span)).toBe(span);
  });
});
