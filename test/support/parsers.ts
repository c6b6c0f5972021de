import { ParserPool } from "../../adapters/node/documents/isolation/parser-pool.js";

/**
 * A parser process takes more than twice the processor time of indexing a small folder, so the tests
 * of one process share one. It ends with the process of the tests.
 */
export const parsers: ParserPool = new ParserPool();
