/** A worker thread, or a child process, that runs the sample service. */

import { isMainThread } from "node:worker_threads";
import { parentEndpoint, parentProcessEndpoint } from "../../adapters/node/threads/endpoints.js";
import { serveSamples } from "./sample-service.js";

serveSamples(isMainThread ? parentProcessEndpoint() : parentEndpoint());
