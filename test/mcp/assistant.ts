/**
 * An assistant for tests: the SDK's own client, connected to the tools in this process or to a
 * separate process.
 */

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { McpParts } from "../../adapters/mcp/calls.js";
import { refreshOrLog } from "../../adapters/mcp/refresh.js";
import { createMcpServer } from "../../adapters/mcp/server.js";
import { type ServedOptions, served } from "../server/served.js";

/** The SDK's client gives up after a minute; loading a model on a busy machine may take longer. */
const PATIENT = { timeout: 280_000 };

export interface ToolResult {
  text: string;
  isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  output: any;
}

export interface Assistant {
  client: Client;
  call(name: string, input?: Record<string, unknown>): Promise<ToolResult>;
  read(id: string): Promise<string>;
}

export async function assistantOver(transport: Transport): Promise<Assistant> {
  const client = new Client({ name: "test", version: "0" });
  await client.connect(transport, PATIENT);
  return {
    client,
    async call(name, input = {}) {
      const result = await client.callTool({ name, arguments: input }, undefined, PATIENT);
      const content = result.content as { type: string; text: string }[];
      const text = content.map((it) => it.text).join("\n");
      return { text, isError: result.isError === true, output: result.structuredContent };
    },
    async read(id) {
      const { contents } = await client.readResource(
        { uri: `verbatim://documents/${encodeURIComponent(id)}` },
        PATIENT,
      );
      return (contents[0] as { text: string }).text;
    },
  };
}

/** Connected to an index of the documents of test/server, unless others are given. */
export async function assistant(options: ServedOptions & { mcp?: Partial<McpParts> } = {}): Promise<Assistant> {
  const { index } = await served(options);
  const defaults = { minConfidence: "calibrated" } as const;
  const { log = () => {} } = options.mcp ?? {};
  const server = createMcpServer({
    index,
    refresh: refreshOrLog(index, log),
    version: "0.0.0",
    defaults,
    log,
    callMs: 120_000,
    ...options.mcp,
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  return assistantOver(theirs);
}
