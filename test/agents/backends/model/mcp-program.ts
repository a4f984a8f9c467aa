// A server of MCP over stdio: `echo` says what it is given and what its environment holds, `change` makes it describe
// itself otherwise, `break` ends it.

import { createInterface } from "node:readline";
import { answerMcp } from "./mcp-answers.ts";

const { SERVER_TOKEN = "none" } = process.env;
const state = { description: "Says it again." };
const print = (message: unknown) => process.stdout.write(`${JSON.stringify(message)}\n`);

process.stdout.write("this server prints what is no JSON\n");
for await (const line of createInterface({ input: process.stdin })) {
  const answer = answerMcp(JSON.parse(line), { state, token: SERVER_TOKEN, notify: print });
  if (answer === "end") process.exit(3);
  if (answer !== undefined) print(answer);
}
