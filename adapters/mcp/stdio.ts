/** Serves one assistant over a pair of pipes. */

import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CancelledNotificationSchema,
  ErrorCode,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { ZodError } from "zod";
import { untilAborted } from "../server/until-aborted.js";
import type { McpParts } from "./calls.js";
import { createMcpServer } from "./server.js";

interface Pipes {
  stdin: Readable;
  stdout: Writable;
  /** Stops serving at once. */
  signal: AbortSignal;
}

/**
 * Serves until the assistant closes its end of the pipe or the signal fires. After the end of the input, calls in
 * progress are still answered, for up to the time limit of one call.
 */
export async function serveStdio(parts: McpParts, { stdin, stdout, signal }: Pipes): Promise<void> {
  const server = createMcpServer(parts);
  const transport = new PipeTransport(stdin, stdout);
  const closed = new Promise<void>((done) => {
    server.server.onclose = () => done();
    void untilAborted(signal).then(done);
  });
  const ended = new Promise<void>((done) => {
    stdin.once("end", done);
    stdin.once("close", done);
  });
  server.server.onerror = (error) => {
    const invalid = invalidMessage(error);
    if (invalid === undefined) parts.log("warn", "protocol error", { error: withoutContent(error) });
    else {
      parts.log("warn", "invalid message", { error: invalid.message });
      transport.refuse(invalid);
    }
  };
  await server.connect(transport);
  await Promise.race([ended, closed]);
  const timer = new AbortController();
  const timedOut = sleep(parts.callMs, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([closed, transport.answered(), timedOut]);
  timer.abort();
  await server.close();
}

interface ProtocolError {
  code: number;
  message: string;
}

/** The JSON-RPC error for a line that is not a message; undefined for any other error. */
function invalidMessage(error: Error): ProtocolError | undefined {
  if (error instanceof SyntaxError) return { code: ErrorCode.ParseError, message: "The line is not JSON." };
  if (!(error instanceof ZodError)) return undefined;
  return { code: ErrorCode.InvalidRequest, message: "The line is not a JSON-RPC 2.0 message. Batches are refused." };
}

/** The SDK's errors repeat messages, which may contain questions, after a colon. */
function withoutContent({ message }: Error): string {
  return message.split(":")[0]!;
}

/** Knows which requests have no reply yet. */
class PipeTransport extends StdioServerTransport {
  readonly #stdout: Writable;
  readonly #open = new Set<RequestId>();
  #onAnswered: (() => void) | undefined;

  constructor(stdin: Readable, stdout: Writable) {
    super(stdin, stdout);
    this.#stdout = stdout;
    // the server keeps this function and calls it before its own
    this.onmessage = (message) => this.#note(message);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined)
      this.#settle(message.id);
  }

  /** Replies to a line without a known id, which the SDK's type of a message does not allow to be null. */
  refuse(error: ProtocolError): void {
    this.#stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: null, error })}\n`);
  }

  /** Resolves when every request has its reply. */
  async answered(): Promise<void> {
    if (this.#open.size > 0)
      await new Promise<void>((done) => {
        this.#onAnswered = done;
      });
  }

  #note(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#open.add(message.id);
    const cancelled = CancelledNotificationSchema.safeParse(message).data?.params.requestId;
    if (cancelled !== undefined) this.#settle(cancelled); // gets no reply
  }

  #settle(id: RequestId): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#onAnswered?.();
  }
}
