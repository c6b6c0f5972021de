import { describe, expect, it } from "vitest";
import { Turns } from "./turns.js";

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

describe("Turns", () => {
  it("come one after another while nothing is asked, and leave the thread to others in between", async () => {
    const turns = new Turns();
    let others = 0;
    const timer = setInterval(() => others++, 0);
    for (let n = 0; n < 5; n++) await turns.next();
    clearInterval(timer);
    expect(others).toBeGreaterThan(0);
  });

  it("wait until a question has ended", async () => {
    const turns = new Turns();
    const end = turns.begin();
    let asking = true;
    const next = turns.next().then(() => asking);
    await soon();
    asking = false;
    end();
    expect(await next).toBe(false);
  });

  it("come while questions never end, too", async () => {
    const turns = new Turns();
    turns.begin();
    await turns.next();
    await turns.next();
  });
});
