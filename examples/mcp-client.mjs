/**
 * Call the tools for assistants from a program:  node examples/mcp-client.mjs INDEX "QUESTION"  (npm i
 * @modelcontextprotocol/sdk)
 */

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [index = "./.verbatim", question = "who founded the observatory?"] = process.argv.slice(2);
const command = process.env.VERBATIM ?? "verbatim"; // the installed command
const [file, ...args] = [...command.split(" "), "mcp", "--index", index];
const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: file, args }));

const { tools } = await client.listTools();
console.log(`tools: ${tools.map(({ name }) => name).join(", ")}`);
const { structuredContent } = await client.callTool({
  name: "ask",
  arguments: { question, topK: 1, minConfidence: 0 },
});
const [answer] = structuredContent.answers;
const checked = await client.callTool({ name: "quote", arguments: { quotation: answer.text } });
console.log(`${answer.text} (${answer.source}), verified: ${checked.structuredContent.quotations[0].verdict}`);
await client.close();
