/** Menus of HTML pages are left out; lists of links that are content are not. */

import { expect, it } from "vitest";
import { readOne } from "./fixtures/folder.js";

const PROSE =
  "The pump lifts forty litres of water a minute from a depth of eight metres, and runs without attention for a month.";
const links = (...names: string[]) =>
  `<ul>${names.map((name) => `<li><a href="${name}.html">${name}</a></li>`).join("")}</ul>`;

async function textOf(html: string): Promise<string> {
  return (await readOne("a.html", `<!doctype html><title>Pump</title>${html}`)).text;
}

it.each([
  ["<nav>", `<nav>${links("Home", "News")}</nav><p>${PROSE}</p>`],
  ["a role", `<div role="navigation">${links("Home", "News")}</div><p>${PROSE}</p>`],
  ["a class and links", `<div class="page-sidebar">${links("Home", "News")} More</div><p>${PROSE}</p>`],
  [
    "being a list of links before the first paragraph",
    `<h1 hidden>x</h1><table><tr><td>${links("Home", "News", "Shop", "Help")}</td></tr></table><p>${PROSE}</p>`,
  ],
  [
    "being a list of links after the last paragraph",
    `<p>${PROSE}</p><div>${links("Home", "News", "Shop", "Help")}</div>`,
  ],
  [
    "being outside of <main>",
    `<header><span>News</span></header><main><p>${`${PROSE} `.repeat(5)}</p></main><footer>Help</footer>`,
  ],
])("leaves out a menu that shows itself by %s", async (_how, html) => {
  const text = await textOf(html);
  expect(text).toContain(PROSE);
  expect(text).not.toMatch(/Home|News|Shop|Help|More/);
});

it("leaves out links to a heading itself and to the content", async () => {
  expect(
    await textOf(`<a href="#main">Skip to main content</a><h1>Pump<a href="#pump">¶</a></h1><p>${PROSE}</p>`),
  ).toBe(`Pump\n\n${PROSE}`);
});

it.each([
  [
    "in the middle of a page",
    `<p>${PROSE}</p><p>It runs on:</p>${links("Petrol", "Diesel", "Steam", "Wind")}<p>${PROSE}</p>`,
  ],
  ["in <main>", `<nav>Home</nav><main>${links("Petrol", "Diesel", "Steam", "Wind")}<p>${PROSE}</p></main>`],
  ["that is all of the page", `<h1>Fuels</h1>${links("Petrol", "Diesel", "Steam", "Wind")}`],
  [
    "that has explanations",
    `<p>${PROSE}</p><ul>${["Petrol", "Diesel", "Steam", "Wind"].map((name) => `<li><a href="x">${name}</a>: cheap and strong</li>`).join("")}</ul>`,
  ],
])("keeps a list of links %s", async (_where, html) => {
  const text = await textOf(html);
  for (const fuel of ["Petrol", "Diesel", "Steam", "Wind"]) expect(text).toContain(fuel);
});

it("keeps a page title in the header next to <main>", async () => {
  const text = await textOf(`<header><h1>Pump manual</h1></header><main><p>${`${PROSE} `.repeat(5)}</p></main>`);
  expect(text).toMatch(/^Pump manual/);
});

it("keeps lists of addresses and forms, and a menu of dishes", async () => {
  const staff = ["Ada Brown, treasurer", "Ben Cole", "Cy Dunn", "Di East"];
  const list = (href: string) => `<ul>${staff.map((name) => `<li><a href="${href}">${name}</a></li>`).join("")}</ul>`;
  expect(await textOf(`<p>${PROSE}</p>${list("mailto:a@example.org")}`)).toContain("treasurer");
  expect(await textOf(`<p>${PROSE}</p>${list("form.pdf")}`)).toContain("treasurer");
  expect(
    await textOf(`<p>${PROSE}</p><div class="menu"><h2>Soups</h2><p><a href="/a">Tomato soup</a> 5</p></div>`),
  ).toContain("Tomato soup 5");
});
