/** load-process.ts PROGRAM NUMBER TARGET: one of the full loads, until standard input ends. */

import { once } from "node:events";
import { FULL_LOADS, type Program } from "./full-loads.js";

const [program, number, target] = process.argv.slice(2) as [Program, string, string];
const stop = await FULL_LOADS[program][Number(number)]!.start(JSON.parse(target));
console.log("started");
process.stdin.resume();
await once(process.stdin, "end");
await stop();
process.exit(0);
