/** How long a request may take, and when it is sent again. */

/** Limits in milliseconds. Tests set shorter ones. */
export interface RequestLimits {
  /** Timeout of one try. */
  tryMs: number;
  /** Time in which a request must be answered, all its tries together. */
  withinMs: number;
  /** Pauses before the second and later tries; each is used once, unless a longer wait is asked for. */
  pausesMs: readonly number[];
  /** Time until a wait is reported, and between reports. */
  waitMs: number;
}

export const REQUEST_LIMITS: RequestLimits = {
  tryMs: 30_000,
  withinMs: 90_000, // three tries: two nodes of three may be silent
  pausesMs: [100, 300, 1000, 3000, 5000], // a cluster that loses a node recovers in seconds
  waitMs: 15_000,
};

/** How long loading keeps retrying, which gives time to a node that holds the only copy of a shard. */
export const LOADING_RETRY_MS = 300_000;
/** Timeout of one try to load; a busy cluster is slow, and sending again makes it slower. */
const LOADING_TRY_MS = 180_000;
/** Requests whose work grows with what is loaded. */
const LOADING_PATH = /\/_(bulk|refresh)$/;

/** The limits of requests with this path. */
export function limitsOf(path: string, limits: RequestLimits): RequestLimits {
  return LOADING_PATH.test(path) ? { ...limits, tryMs: LOADING_TRY_MS, withinMs: LOADING_RETRY_MS } : limits;
}
