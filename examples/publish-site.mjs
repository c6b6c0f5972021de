/**
 * Publish a page that answers in the visitor's browser, on any static host:
 * node examples/publish-site.mjs FOLDER OUT        then serve OUT, or embed it as in examples/browser-page.html
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { indexPaths, publishSite } from "verbatim-qa/node";

const [folder = "samples", out = "site"] = process.argv.slice(2);
const work = await mkdtemp(join(tmpdir(), "verbatim-example-"));
await indexPaths([folder], { index: join(work, "index") });
// "terms" finds sentences by their words; "full" adds exact spans, and the model that finds them
const { documents, writtenBytes } = await publishSite({ index: join(work, "index"), out, level: "terms" });
console.log(`${documents} documents, ${Math.round(writtenBytes / 1024)} KiB in ${out}`);
await rm(work, { recursive: true });
