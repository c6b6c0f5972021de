/** Requests that the page of a server repeats: the status, and the jobs of uploads. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RequestError } from "../../web/src/request-error.js";
import { h, stubPage } from "./stub-dom.js";

interface Job {
  id: string;
  state: string;
}
type FollowJob = (
  first: Job,
  options: { read: (id: string) => Promise<Job>; onProgress: (now: Job) => void },
) => Promise<Job>;
type UseStatus = () => { now: { documents: number } | undefined; problem: unknown };

/** Loads a part of the page. Its types need those of a browser, which tests do not have. */
async function load<Part>(file: string, name: string): Promise<Part> {
  const path = `../../web/src/server/${file}`;
  return ((await import(path)) as Record<string, Part>)[name]!;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const unreachable = new RequestError("", 0, { code: "unreachable" });
const running = { id: "job-1", state: "running" };
const done = { id: "job-1", state: "done" };

describe("a job", () => {
  /** Follows a job; each request gets the next of these responses, the last one again and again. */
  async function follow(...responses: (Job | Error)[]) {
    const followJob = await load<FollowJob>("follow-job.ts", "followJob");
    const states: string[] = [];
    const read = vi.fn(async () => {
      const response = responses.length > 1 ? responses.shift()! : responses[0]!;
      if (response instanceof Error) throw response;
      return response;
    });
    const following = followJob(running, { read, onProgress: ({ state }) => states.push(state) });
    const ended = following.then(
      ({ state }) => state,
      (error: unknown) => error,
    );
    await vi.runAllTimersAsync();
    return { ended: await ended, states, requests: read.mock.calls.length };
  }

  it("is followed until it has ended, past requests that failed", async () => {
    const tooFast = new RequestError("Too many requests.", 429, { code: "too-fast" });
    const { ended, states } = await follow(running, unreachable, unreachable, tooFast, running, done);
    expect(ended).toBe("done");
    expect(states).toEqual(["running", "running", "running", "done"]);
  });

  it("that the server does not know is not requested again", async () => {
    const unknown = new RequestError("There is no such job.", 404, { code: "no-job" });
    expect(await follow(unknown)).toMatchObject({ ended: unknown, requests: 1 });
  });

  it("is given up if the server cannot be reached for a while", async () => {
    expect(await follow(unreachable)).toMatchObject({ ended: unreachable, requests: 10 });
  });
});

describe("the status of the server", () => {
  const statusOf = (documents: number, jobs: object[] = []) => ({ documents, jobs, scope: "ask" });

  /** A component that shows the status; each request gets the next of these responses, or fails. */
  async function shown(...responses: (object | undefined)[]) {
    const { root, show } = stubPage("https://host.example/");
    const requests = vi.fn(async () => {
      const response = responses.length > 1 ? responses.shift() : responses[0];
      if (response === undefined) throw new TypeError("Failed to fetch");
      return { ok: true, json: async () => response };
    });
    vi.stubGlobal("fetch", requests);
    const useStatus = await load<UseStatus>("use-status.ts", "useStatus");
    const Probe = () => {
      const { now, problem } = useStatus();
      return h("p", { children: `${now?.documents} ${problem === undefined ? "" : "problem"}`.trim() });
    };
    show(h(Probe, {}));
    const later = async (): Promise<string> => {
      await vi.advanceTimersByTimeAsync(3500);
      return root.textContent;
    };
    return { later, requests };
  }

  it("is requested again after a failure while documents are being indexed", async () => {
    const { later } = await shown(statusOf(1, [{}]), undefined, statusOf(2, [{}]), undefined, statusOf(3));
    const texts = new Set<string>();
    for (let n = 0; n < 5; n++) texts.add(await later());
    expect([...texts].at(-1)).toBe("3");
    expect([...texts]).toContain("1 problem");
  });

  it("is requested again if the first request fails, and not once it is known", async () => {
    const { later, requests } = await shown(undefined, statusOf(3));
    expect(await later()).toBe("3");
    await later();
    expect(requests).toHaveBeenCalledTimes(2);
  });
});
