/**
 * Open connections: a share per address, one request at a time on each, and a time limit for taking
 * a response.
 */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { addressGroup } from "../security/caller.js";
import type { Limits } from "./limits.js";

type ConnectionLimits = Pick<Limits, "maxConnections" | "maxConnectionsPerAddress" | "responseMs">;

/** Why a connection was closed by the server before its client closed it. */
export type DropReason = "too-many-connections" | "too-many-pipelined" | "slow-reader";

/**
 * Requests that may wait on one connection while another one is answered. HTTP clients in use do
 * not pipeline at all.
 */
const MAX_PIPELINED = 16;

/** How often responses are checked against `responseMs`, in milliseconds. */
const CHECK_EVERY_MS = 1000;

type Exchange = [request: IncomingMessage, response: ServerResponse];

interface Connection {
  socket: Socket;
  address: string;
  current: Exchange | undefined;
  /** When the head of the current response was first seen to be sent. */
  respondingSince: number | undefined;
  pipelined: Exchange[];
}

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #onDrop: (reason: DropReason) => void;
  readonly #handle: (...exchange: Exchange) => unknown;
  readonly #bySocket = new Map<Socket, Connection>();
  /** Per address, the connection whose last request ended longest ago first. */
  readonly #byAddress = new Map<string, Set<Connection>>();

  constructor(
    handle: (request: IncomingMessage, response: ServerResponse) => unknown,
    options: { limits: ConnectionLimits; onDrop?: (reason: DropReason) => void },
  ) {
    this.#handle = handle;
    this.#limits = options.limits;
    this.#onDrop = options.onDrop ?? (() => {});
  }

  /** The server's requests must go to `receive`. */
  watch(server: Server): void {
    server.on("connection", (socket: Socket) => this.#open(socket));
    const timer = setInterval(() => this.#dropSlowReaders(), CHECK_EVERY_MS).unref();
    server.once("close", () => clearInterval(timer));
  }

  /**
   * Handles the request now, or after the response to the one before has been written completely:
   * Node parses all requests of a chunk at once, and a client that sends many and reads nothing
   * would have them all in memory.
   */
  receive(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#bySocket.get(request.socket);
    if (connection === undefined) return; // dropped while the chunk with this request was being parsed
    if (connection.current === undefined) {
      this.#start(connection, [request, response]);
      return;
    }
    if (connection.pipelined.length >= MAX_PIPELINED) {
      this.#drop(connection, "too-many-pipelined");
      return;
    }
    connection.pipelined.push([request, response]);
    connection.socket.pause();
  }

  #open(socket: Socket): void {
    const { maxConnections, maxConnectionsPerAddress } = this.#limits;
    const address = addressGroup(socket.remoteAddress);
    const own = this.#byAddress.get(address);
    const full =
      own !== undefined && own.size >= maxConnectionsPerAddress
        ? own
        : this.#bySocket.size >= maxConnections
          ? this.#largestShare()
          : undefined;
    if (full !== undefined && !this.#dropOne(full)) {
      this.#onDrop("too-many-connections");
      socket.destroy();
      return;
    }
    const connection: Connection = { socket, address, current: undefined, respondingSince: undefined, pipelined: [] };
    this.#bySocket.set(socket, connection);
    this.#touch(connection);
    socket.once("close", () => this.#forget(connection));
  }

  #start(connection: Connection, exchange: Exchange): void {
    const [request, response] = exchange;
    connection.current = exchange;
    connection.respondingSince = undefined;
    response.once("close", () => this.#ended(connection));
    this.#handle(request, response);
  }

  #ended(connection: Connection): void {
    connection.current = undefined;
    if (!this.#bySocket.has(connection.socket)) return;
    this.#touch(connection);
    const next = connection.pipelined.shift();
    if (connection.pipelined.length === 0) connection.socket.resume();
    if (next !== undefined) this.#start(connection, next);
  }

  /** Moves the connection to the end of its address's share: the others are dropped first. */
  #touch(connection: Connection): void {
    const own = this.#byAddress.get(connection.address) ?? new Set();
    own.delete(connection);
    own.add(connection);
    this.#byAddress.set(connection.address, own);
  }

  #forget(connection: Connection): void {
    this.#bySocket.delete(connection.socket);
    connection.pipelined = [];
    const own = this.#byAddress.get(connection.address);
    own?.delete(connection);
    if (own?.size === 0) this.#byAddress.delete(connection.address);
  }

  #drop(connection: Connection, reason: DropReason): void {
    this.#onDrop(reason);
    this.#forget(connection);
    stopParsing(connection.socket);
    connection.socket.destroy();
  }

  #largestShare(): Set<Connection> {
    return [...this.#byAddress.values()].reduce((largest, share) => (share.size > largest.size ? share : largest));
  }

  /**
   * Makes room for a new connection: idle ones (and those that have not sent a whole head) go
   * first, then those that are still sending a body, then those that have not taken their response.
   * A request being worked on is never cut off.
   */
  #dropOne(share: Set<Connection>): boolean {
    const order = [isIdle, isSending, isResponding];
    for (const isDroppable of order) {
      for (const connection of share) {
        if (!isDroppable(connection)) continue;
        this.#drop(connection, "too-many-connections");
        return true;
      }
    }
    return false;
  }

  #dropSlowReaders(): void {
    const now = performance.now();
    for (const connection of this.#bySocket.values()) {
      if (!isResponding(connection)) continue;
      connection.respondingSince ??= now;
      if (now - connection.respondingSince > this.#limits.responseMs) this.#drop(connection, "slow-reader");
    }
  }
}

/**
 * Node would still make objects of all requests in the current chunk, which is most of what a flood
 * of pipelined requests costs. 2 is the parser's "not HTTP from here on"; `parser` is not part of
 * Node's API, and without it nothing is lost but time.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { onIncoming?: () => number } | null };
  if (parser) parser.onIncoming = () => 2;
}

function isIdle({ current }: Connection): boolean {
  return current === undefined;
}

function isSending({ current }: Connection): boolean {
  return current !== undefined && !current[0].complete;
}

function isResponding({ current }: Connection): boolean {
  return current?.[1].headersSent === true;
}
