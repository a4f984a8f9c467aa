// An agent of the Agent Client Protocol that asks before it runs its one command.
import { execFileSync } from "node:child_process";
import { createInterface } from "node:readline";

const waiting = new Map();
let next = 1;
const tell = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const ask = (method, params) =>
  new Promise((resolve) => {
    waiting.set(next, resolve);
    tell({ id: next++, method, params });
  });
const say = (sessionId, text) => {
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  tell({ method: "session/update", params: { sessionId, update } });
};

async function prompt({ sessionId }) {
  const toolCall = {
    ...{ toolCallId: "c1", kind: "execute", title: "work" },
    rawInput: { command: "sh work.sh allowed" },
  };
  const options = [
    { optionId: "once", name: "Once", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ];
  const { outcome } = await ask("session/request_permission", { sessionId, toolCall, options });
  if (outcome.optionId !== "once") return say(sessionId, "DONE: I may not");
  const out = execFileSync("sh", ["work.sh", "allowed"], { input: "", encoding: "utf8" });
  say(sessionId, `DONE: ${out}`);
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    agentCapabilities: { loadSession: true },
    authMethods: [],
  }),
  "session/new": () => ({ sessionId: "session-1" }),
  "session/load": () => ({}),
  "session/prompt": async (params) => {
    await prompt(params);
    return { stopReason: "end_turn" };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) {
    waiting.get(id)?.(result);
    waiting.delete(id);
  } else if (id !== undefined)
    void Promise.resolve(answers[method]?.(params) ?? {}).then((answer) =>
      tell({ id, result: answer }),
    );
}
