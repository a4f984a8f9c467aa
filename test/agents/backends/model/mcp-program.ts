// A server of MCP over stdio: `echo` says what it is given and what its environment holds, `change` makes it describe
// itself otherwise, `break` ends it, `large` answers more than anybody reads. With the argument `result-first` it writes
// the ids of calls last, as the servers of one popular library do. SERVER_STATE replaces what it says of its tools.

import { createInterface } from "node:readline";
import { isRecord } from "../../../../src/foundation/json.ts";
import { answerMcp } from "./mcp-answers.ts";

const { SERVER_TOKEN = "none", SERVER_STATE = "{}" } = process.env;
const state = { description: "Says it again.", ...JSON.parse(SERVER_STATE) };
const print = (message: unknown) => process.stdout.write(`${JSON.stringify(ordered(message))}\n`);

process.stdout.write("this server prints what is no JSON\n");
for await (const line of createInterface({ input: process.stdin })) {
  const answer = answerMcp(JSON.parse(line), { state, token: SERVER_TOKEN, notify: print });
  if (answer === "end") process.exit(3);
  if (answer !== undefined) print(answer);
}

function ordered(message: unknown): unknown {
  if (process.argv[2] !== "result-first" || !isRecord(message)) return message;
  return Object.fromEntries(Object.entries(message).reverse());
}
