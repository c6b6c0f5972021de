/** The client's call for quotations sends what the server's schema accepts. */

import { expect, it } from "vitest";
import { VerbatimClient } from "../../adapters/client/client.js";
import { served } from "../server/served.js";

it("checks quotations and drafts", async () => {
  const { app } = await served();
  const client = new VerbatimClient({
    url: "http://localhost",
    fetch: async (input, init) => {
      const request = new Request(input, init);
      request.headers.set("Host", "localhost");
      return app.fetch(request);
    },
  });
  const { exact, quotations } = await client.quote([{ text: "The pump stops", attributedTo: "Pump" }]);
  expect([exact, quotations[0]!.verdict]).toEqual([true, "exact"]);
  const draft = await client.quote({ draft: "> The bridge is 99 metres long.\n" });
  expect(draft).toMatchObject({ exact: false, quotations: [{ verdict: "not-found", line: 1 }] });
});
