/** Run the page and the API inside your own program:  node examples/server.mjs FOLDER  (Ctrl-C to stop) */

import { jsonLog, serve } from "verbatim-qa/server";

const [folder = "samples"] = process.argv.slice(2);
const log = jsonLog((line) => process.stderr.write(line));
const server = await serve({ index: "./.verbatim", paths: [folder], watch: true, log });
console.log(`${server.url}#token=${server.token}`);
await server.caughtUp;
console.log("everything is indexed");
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void server.stop());
