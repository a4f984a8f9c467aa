import {
  methods,
  type RequestPermissionResponse,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import type { SessionRequest } from "../../../../src/contracts/backend.ts";
import type { TurnClient } from "../../../../src/contracts/turn-client.ts";
import { createRecordingClient } from "../../../../src/testing/turn-request.ts";
import { type AgentScript, chunk } from "./in-memory-agent.ts";
import { openSession, takeTurn } from "./open-session.ts";

const OPTIONS = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "once", name: "Once", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
] as const;

const SHELL = {
  toolCallId: "c1",
  kind: "execute",
  title: "read",
  rawInput: { command: "rm -rf x" },
} as const;

test("a request is decided by Troupe each time, and nothing is allowed for longer [AGT-10]", async () => {
  const { outcomes, client } = await ask(SHELL, { decision: "allowed" });
  expect(outcomes).toEqual([{ outcome: "selected", optionId: "once" }]);
  expect(client.calls).toEqual([
    {
      method: "requestPermission",
      input: { tool: "Bash", input: { command: "rm -rf x" } },
    },
  ]);
});

test("a denial ends the call, and what was said with it reaches the agent [AGT-10]", async () => {
  const { outcomes, texts, updates } = await ask(SHELL, {
    decision: "denied",
    comment: "not on a Friday",
  });
  expect(outcomes).toEqual([{ outcome: "selected", optionId: "no" }]);
  expect(texts).toEqual(["do the work", "The use of Bash was denied: not on a Friday"]);
  expect(updates.filter(({ type }) => type.startsWith("tool-"))).toMatchObject([
    { type: "tool-call", tool: "Bash" },
    { type: "tool-result", isError: true, result: "not on a Friday" },
  ]);
});

test("a name does not make a tool look harmless that runs commands or changes files [AGT-10]", async () => {
  const calls: readonly ToolCallUpdate[] = [
    { ...SHELL, title: "troupe_channel_send" },
    { toolCallId: "c2", kind: "edit", title: "read", locations: [{ path: "/a" }, { path: "/b" }] },
    { toolCallId: "c3", kind: "fetch", title: "Fetch https://evil.example/x now" },
  ];
  const asked = [];
  for (const call of calls) {
    const { client } = await ask(call, { decision: "denied" });
    asked.push(...client.calls.map(({ input }) => input));
  }
  expect(asked).toEqual([
    { tool: "Bash", input: { command: "rm -rf x" } },
    { tool: "Edit", input: { file_path: "/a", file_paths: ["/a", "/b"] } },
    { tool: "WebFetch", input: { url: "https://evil.example/x" } },
  ]);
});

test("Troupe's own tools are allowed at once: they see for themselves who calls [MCP-5]", async () => {
  const own = { toolCallId: "c1", kind: "other", title: "mcp__troupe__channel_send" } as const;
  const { outcomes, client } = await ask(own, { decision: "denied" });
  expect(outcomes).toEqual([{ outcome: "selected", optionId: "once" }]);
  expect(client.calls).toEqual([]);
});

test("a tool that the agent may not use is denied, and nobody is asked [KCK-7]", async () => {
  const spec = { id: "worker", backend: "acp", tools: ["Read"] };
  const { outcomes, client } = await ask(SHELL, { decision: "allowed" }, { spec });
  expect(outcomes).toEqual([{ outcome: "selected", optionId: "no" }]);
  expect(client.calls).toEqual([]);
});

test("a turn that is cut off while it waits for permission answers that it is cancelled [AGT-10, ENG-6]", async () => {
  const controller = new AbortController();
  const outcomes: unknown[] = [];
  const opened = await openSession(asking(SHELL, outcomes));
  const client = createRecordingClient({
    requestPermission: () => {
      controller.abort();
      return new Promise(() => {});
    },
  });
  const turn = takeTurn(opened, { client, signal: controller.signal });
  expect((await turn).at(-1)).toEqual({ type: "stop", reason: "cancelled" });
  expect(outcomes).toEqual([{ outcome: "cancelled" }]);
});

type Decision = Awaited<ReturnType<TurnClient["requestPermission"]>>;

async function ask(
  toolCall: ToolCallUpdate,
  decision: Decision,
  parts: Partial<SessionRequest> = {},
) {
  const outcomes: unknown[] = [];
  const texts: string[] = [];
  const client = createRecordingClient({ requestPermission: async () => decision });
  const opened = await openSession(asking(toolCall, outcomes, texts), parts);
  const updates = await takeTurn(opened, { client });
  return { outcomes, texts, client, updates };
}

/** Asks once, with the first prompt. */
function asking(toolCall: ToolCallUpdate, outcomes: unknown[], texts: string[] = []): AgentScript {
  return {
    prompt: async ({ client, text, tell }) => {
      texts.push(text);
      if (texts.length === 1) {
        const request = { sessionId: "session-1", toolCall, options: [...OPTIONS] };
        const answer = await client.request<RequestPermissionResponse>(
          methods.client.session.requestPermission,
          request,
        );
        outcomes.push(answer.outcome);
      }
      await tell(chunk("done"));
      return { stopReason: "end_turn" };
    },
  };
}
