/**
 * The server's reader, called from an answering thread: over a channel to each reader thread, past
 * the server's main thread.
 */

import type { MessagePort } from "node:worker_threads";
import { throwIfAborted } from "../../../src/errors.js";
import type { Reader, ReaderInfo, ReaderInput, ReaderOutput } from "../../../src/reader/types.js";
import type { ReaderService } from "../../node/models/reader/reader-service.js";
import { portEndpoint } from "../../node/threads/rpc.js";
import { internalError } from "../../node/threads/worker-pool.js";
import { RpcClient } from "../../rpc/client.js";

export interface RemoteReaderOptions {
  info: ReaderInfo;
  lanes: number;
  /**
   * The lane to use first. Answering threads begin at different ones, so that their single inputs
   * do not meet in one thread.
   */
  firstLane: number;
  /** Opens a channel to the reader thread of a lane. */
  connect: (lane: number) => Promise<MessagePort>;
}

interface Lane {
  client: Promise<RpcClient<ReaderService>> | undefined;
  /** Inputs that this thread waits for. */
  load: number;
}

export class RemoteReader implements Reader {
  readonly info: ReaderInfo;
  readonly lanes: number;
  readonly #connect: (lane: number) => Promise<MessagePort>;
  /** In the order in which they are filled. */
  readonly #order: readonly number[];
  readonly #lanes: Lane[];

  constructor({ info, lanes, firstLane, connect }: RemoteReaderOptions) {
    this.info = info;
    this.lanes = lanes;
    this.#connect = connect;
    this.#order = Array.from({ length: lanes }, (_, n) => (firstLane + n) % lanes);
    this.#lanes = this.#order.map(() => ({ client: undefined, load: 0 }));
  }

  /** Each input goes to the lane that has the least to do for this thread. */
  async read(inputs: ReaderInput[], { signal }: { signal?: AbortSignal } = {}): Promise<ReaderOutput[]> {
    throwIfAborted(signal);
    const shares = new Map<number, number[]>();
    for (const n of inputs.keys()) {
      const lane = this.#leastBusy();
      this.#lanes[lane]!.load++;
      shares.set(lane, [...(shares.get(lane) ?? []), n]);
    }
    const outputs = new Array<ReaderOutput>(inputs.length);
    await Promise.all(
      Array.from(shares, async ([lane, numbers]) => {
        const share = numbers.map((n) => inputs[n]!);
        for (const [i, output] of (await this.#readIn(lane, share, signal)).entries()) outputs[numbers[i]!] = output;
      }),
    );
    return outputs;
  }

  /** Closes the channels; the reader stays open for other threads. */
  async close(): Promise<void> {
    const clients = await Promise.allSettled(this.#lanes.map(({ client }) => client));
    for (const client of clients) if (client.status === "fulfilled") await client.value?.terminate();
  }

  async #readIn(number: number, inputs: ReaderInput[], signal: AbortSignal | undefined): Promise<ReaderOutput[]> {
    const lane = this.#lanes[number]!;
    try {
      lane.client ??= this.#open(number);
      return await (await lane.client).call("read", inputs, { signal });
    } catch (error) {
      throw internalError("the reader", error);
    } finally {
      lane.load -= inputs.length;
    }
  }

  async #open(number: number): Promise<RpcClient<ReaderService>> {
    const lane = this.#lanes[number]!;
    const onLost = (): void => {
      lane.client = undefined; // the next read opens it again
    };
    try {
      return new RpcClient<ReaderService>(portEndpoint(await this.#connect(number)), { name: "the reader", onLost });
    } catch (error) {
      onLost();
      throw error;
    }
  }

  #leastBusy(): number {
    return this.#order.reduce((best, lane) => (this.#lanes[lane]!.load < this.#lanes[best]!.load ? lane : best));
  }
}
