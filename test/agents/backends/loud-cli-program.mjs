// Plays a CLI of one of three protocols. With the prompt `loud NAME` it prints a line that is too large, of that kind,
// then ends its turn as if nothing had happened; every other prompt is answered with "fine".
import { createInterface } from "node:readline";

const [, , protocol, encodedHeads] = process.argv;
const heads = JSON.parse(encodedHeads);
const [largest] = Object.keys(heads);
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const shout = (prompt) => {
  const name = /loud (\w+)/.exec(prompt)?.[1];
  if (name === undefined) return;
  const [text, values] = name === largest ? [9 * 1024 * 1024, 1] : [1, 250_000];
  const rest = `${"x".repeat(text)}","many":[${"1,".repeat(values)}1]}`;
  process.stdout.write(`${heads[name]}${rest}\n`);
};

const claude = (message) => {
  if (message.type === "control_request") {
    const response = { subtype: "success", request_id: message.request_id, response: {} };
    return say({ type: "control_response", response });
  }
  if (message.type !== "user") return;
  shout(JSON.stringify(message));
  say({ type: "result", subtype: "success", is_error: false, result: "fine" });
};

const codex = ({ id, method, params }) => {
  const thread = { id: "t1" };
  const answers = {
    "config/read": { layers: [] },
    "thread/start": { thread },
    "thread/resume": { thread },
    "turn/start": { turn: { id: "u1" } },
  };
  if (id !== undefined) say({ id, result: answers[method] ?? {} });
  if (method !== "turn/start") return;
  const tell = (name, more) => say({ method: name, params: { threadId: "t1", ...more } });
  tell("turn/started", { turn: { id: "u1" } });
  shout(JSON.stringify(params));
  tell("item/completed", { item: { type: "agentMessage", id: "m1", text: "fine" } });
  tell("turn/completed", { turn: { status: "completed" } });
};

const acp = ({ id, method, params }) => {
  const jsonrpc = "2.0";
  const tell = (update) =>
    say({ jsonrpc, method: "session/update", params: { sessionId: "s1", update } });
  if (method === "session/prompt") {
    shout(JSON.stringify(params));
    tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "fine" } });
    return say({ jsonrpc, id, result: { stopReason: "end_turn" } });
  }
  const answers = {
    initialize: { protocolVersion: 1, agentCapabilities: { loadSession: true } },
    "session/new": { sessionId: "s1" },
  };
  if (id !== undefined) say({ jsonrpc, id, result: answers[method] ?? {} });
};

const take = { claude, codex, acp }[protocol];
createInterface({ input: process.stdin }).on("line", (line) => take(JSON.parse(line)));
