/** What scans rows in memory that threads share (src/kernel/shared-rows.ts): a module of its own. */

export { dots, matrixDots } from "./int8-rows";
