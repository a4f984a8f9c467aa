/** A program that speaks ACP: for each prompt it asks for one call, carries it out when it may, and ends its turn. */
import { appendFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { isRecord } from "../../src/foundation/json.ts";

const [, , ledger = "", prompts = ""] = process.argv;
const SESSION = { sessionId: "session-1" };
const OPTIONS = [
  { optionId: "yes", name: "Allow", kind: "allow_once" as const },
  { optionId: "no", name: "Reject", kind: "reject_once" as const },
];
const CALL = {
  toolCallId: "call-1",
  title: "write it down",
  kind: "execute" as const,
  rawInput: { command: "echo ran >> ledger" },
};

const app = agent({ name: "asking" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: { loadSession: true },
  }))
  .onRequest(methods.agent.session.new, () => SESSION)
  .onRequest(methods.agent.session.load, () => ({}))
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const text = params.prompt.map((block) => (block.type === "text" ? block.text : "")).join("");
    appendFileSync(prompts, `${JSON.stringify(text)}\n`);
    const tell = (update: object) =>
      client.notify(methods.client.session.update, { ...SESSION, update: { ...CALL, ...update } });
    const reply: unknown = await client.request(methods.client.session.requestPermission, {
      ...SESSION,
      options: OPTIONS,
      toolCall: { ...CALL, status: "pending" },
    });
    const outcome = isRecord(reply) && isRecord(reply["outcome"]) ? reply["outcome"] : {};
    const isAllowed = outcome["optionId"] === "yes";
    if (isAllowed) appendFileSync(ledger, "ran\n");
    await tell({ sessionUpdate: "tool_call_update", status: isAllowed ? "completed" : "failed" });
    await client.notify(methods.client.session.update, {
      ...SESSION,
      update: {
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: "DONE: it is written down" },
      },
    });
    return { stopReason: "end_turn" };
  });

app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
