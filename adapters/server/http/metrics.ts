/** Metrics for Prometheus: the time of questions by step, what waits, the index, memory. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { IndexInfo } from "../../../src/index/index-info.js";
import type { StepTimes } from "../../../src/search/types.js";

/** Seconds. A question takes milliseconds, the first ones up to a second. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Values that are read when the metrics are requested. */
interface MetricsSources {
  running: () => number;
  waiting: () => number;
  jobs: () => number;
  index: () => Pick<IndexInfo, "version" | "documents" | "passages" | "bytes"> | undefined;
  cachedDocuments: () => number;
}

export class Metrics {
  readonly registry = new Registry();
  readonly #steps: Histogram<"step">;
  readonly #requests: Counter<"method" | "route" | "status">;
  readonly #latency: Histogram<"route">;
  readonly #refused: Counter<"reason">;
  readonly #cache: Counter<"outcome">;

  constructor(sources: MetricsSources) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry, prefix: "verbatim_" });
    this.#steps = new Histogram({
      name: "verbatim_question_step_seconds",
      help: "Time of a question by step; step=wait is the queue, step=total everything.",
      labelNames: ["step"],
      buckets: BUCKETS,
      registers,
    });
    this.#requests = new Counter({
      name: "verbatim_http_requests_total",
      help: "Requests answered.",
      labelNames: ["method", "route", "status"],
      registers,
    });
    this.#latency = new Histogram({
      name: "verbatim_http_request_seconds",
      help: "Time from the head of the request to the head of the response.",
      labelNames: ["route"],
      buckets: BUCKETS,
      registers,
    });
    this.#refused = new Counter({
      name: "verbatim_refused_total",
      help: "Requests and connections refused, by reason.",
      labelNames: ["reason"],
      registers,
    });
    this.#cache = new Counter({
      name: "verbatim_text_cache_total",
      help: "Texts of documents looked up, by outcome.",
      labelNames: ["outcome"],
      registers,
    });
    this.#gauge("verbatim_questions_running", "Questions being worked on.", sources.running);
    this.#gauge("verbatim_questions_waiting", "Questions that wait for their turn.", sources.waiting);
    this.#gauge("verbatim_jobs_waiting", "Changes that are waiting or being applied.", sources.jobs);
    this.#gauge("verbatim_text_cache_documents", "Parts of document texts held in memory.", sources.cachedDocuments);
    this.#gauge("verbatim_index_version", "Version that answers; 0 before the first commit.", () => {
      return sources.index()?.version ?? 0;
    });
    this.#gauge("verbatim_index_documents", "Documents in the index.", () => sources.index()?.documents ?? 0);
    this.#gauge("verbatim_index_passages", "Passages in the index.", () => sources.index()?.passages ?? 0);
    this.#gauge("verbatim_index_bytes", "Bytes of the index's files.", () => sources.index()?.bytes ?? 0);
  }

  #gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(value());
      },
    });
  }

  /** @param times.waitMs  before the question was started */
  question(steps: StepTimes, times: { waitMs: number; totalMs: number }): void {
    for (const [step, ms] of Object.entries(steps)) this.#steps.observe({ step }, ms / 1000);
    this.#steps.observe({ step: "wait" }, times.waitMs / 1000);
    this.#steps.observe({ step: "total" }, times.totalMs / 1000);
  }

  /** @param route  the pattern, not the path, so that there are few values */
  request(method: string, route: string, rest: { status: number; ms: number }): void {
    this.#requests.inc({ method, route, status: String(rest.status) });
    this.#latency.observe({ route }, rest.ms / 1000);
  }

  refused(reason: string): void {
    this.#refused.inc({ reason });
  }

  cache(outcome: "hit" | "miss"): void {
    this.#cache.inc({ outcome });
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }
}
