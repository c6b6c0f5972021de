import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FairQueue, type QueueEntry } from "./fair-queue.js";

interface Named extends QueueEntry {
  name: string;
}

function entries(client: string, count: number, cost = 1): Named[] {
  return Array.from({ length: count }, (_, i) => ({ client, cost, name: `${client}${i + 1}` }));
}

function namesOf(queue: FairQueue<Named>): string[] {
  const names: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) names.push(next.name);
  return names;
}

describe("the fair queue", () => {
  it("lets callers take turns", () => {
    const queue = new FairQueue<Named>();
    for (const entry of [...entries("a", 3), ...entries("b", 2), ...entries("c", 1)]) queue.add(entry);
    expect(namesOf(queue)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  it("gives turns in proportion to their cost", () => {
    const queue = new FairQueue<Named>();
    for (const entry of [...entries("reads", 2, 10), ...entries("asks", 20)]) queue.add(entry);
    const order = namesOf(queue);
    // after the asks that cost as much together, more or less
    expect(order.indexOf("reads1")).toBeGreaterThan(4);
    expect(order.indexOf("reads1")).toBeLessThan(16);
    expect(order.indexOf("reads2")).toBeGreaterThan(order.indexOf("reads1") + 4);
  });

  it("lets a caller that comes later wait for a tenth of a hundred callers that ask for ten times as much", () => {
    const queue = new FairQueue<Named>();
    let served = 0;
    const flood = (): Named => ({ client: `flood ${served++}`, cost: 10, name: "flood" }); // never the same caller twice
    for (let i = 0; i < 100; i++) queue.add(flood());
    for (let question = 0; question < 50; question++) {
      const own: Named = { client: "own", cost: 1, name: "own" };
      queue.add(own);
      let before = 0;
      while (queue.take() !== own) {
        queue.add(flood());
        before++;
      }
      expect(before).toBeLessThanOrEqual(20);
    }
  });

  it("displaces the entry that would be last for one that would not be", () => {
    const queue = new FairQueue<Named>();
    for (const entry of [...entries("a", 3), ...entries("b", 1)]) queue.add(entry);
    expect(queue.displace(entries("a", 1)[0]!)).toBeUndefined();
    expect(queue.displace(entries("c", 1)[0]!)?.name).toBe("a3");
    expect(queue.displace(entries("d", 1, 5)[0]!)).toBeUndefined();
    expect(namesOf(queue)).toEqual(["a1", "b1", "a2"]);
  });

  it("returns each entry once, in each caller's own order, and forgets callers", () => {
    const given = fc.array(fc.record({ client: fc.constantFrom("a", "b", "c"), cost: fc.integer({ min: 1, max: 9 }) }));
    fc.assert(
      fc.property(given, fc.array(fc.nat()), (added, removals) => {
        const queue = new FairQueue<Named>();
        const all = added.map((entry, i) => ({ ...entry, name: String(i) }));
        for (const entry of all) queue.add(entry);
        const removed = new Set(removals.map((at) => all[at]).filter((entry) => entry !== undefined));
        for (const entry of removed) expect(queue.remove(entry)).toBe(true);
        const kept = all.filter((entry) => !removed.has(entry));
        const order = namesOf(queue);
        expect([...order].sort()).toEqual(kept.map(({ name }) => name).sort());
        for (const client of ["a", "b", "c"]) {
          const own = kept.filter((entry) => entry.client === client).map(({ name }) => name);
          expect(order.filter((name) => own.includes(name))).toEqual(own);
          expect(queue.sizeOf(client)).toBe(0);
        }
        expect(queue.size).toBe(0);
      }),
    );
  });
});
