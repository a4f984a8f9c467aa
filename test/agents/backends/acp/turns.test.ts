import { expect, test, vi } from "vitest";
import { chunk } from "./in-memory-agent.ts";
import { openSession, takeTurn } from "./open-session.ts";

test("what an agent says, thinks, calls and changes comes as updates, its last words as the answer [AGT-1, AGT-2]", async () => {
  const opened = await openSession({
    prompt: async ({ tell }) => {
      await tell({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } });
      await tell(chunk("let me see"));
      const call = { toolCallId: "c1", kind: "execute", rawInput: { command: "ls" } } as const;
      await tell({ sessionUpdate: "tool_call", ...call, title: "ls", status: "pending" });
      await tell({ sessionUpdate: "tool_call_update", ...call, status: "in_progress" });
      const listing = { type: "content", content: { type: "text", text: "a.ts" } } as const;
      await tell({
        sessionUpdate: "tool_call_update",
        ...call,
        status: "completed",
        content: [listing],
      });
      await tell({
        sessionUpdate: "tool_call_update",
        toolCallId: "c2",
        kind: "edit",
        title: "write_file",
        status: "completed",
        content: [{ type: "diff", path: "/project/b.ts", oldText: null, newText: "new" }],
      });
      await tell(chunk("all done"));
      return {
        stopReason: "end_turn",
        usage: { inputTokens: 20, outputTokens: 5, totalTokens: 125, cachedReadTokens: 100 },
      };
    },
  });
  const updates = await takeTurn(opened);
  expect(updates.filter(({ type }) => type !== "activity")).toEqual([
    { type: "thinking", text: "hm" },
    { type: "text-delta", text: "let me see" },
    { type: "tool-call", call: "c1", tool: "Bash", input: { command: "ls" } },
    { type: "tool-result", call: "c1", tool: "Bash", isError: false, result: "a.ts" },
    {
      type: "tool-call",
      call: "c2",
      tool: "Write",
      input: { file_path: "/project/b.ts", old_string: "", new_string: "new" },
    },
    { type: "file-change", path: "/project/b.ts", kind: "create" },
    { type: "tool-result", call: "c2", tool: "Write", isError: false, result: "" },
    { type: "text-delta", text: "all done" },
    { type: "usage", usage: { inputTokens: 120, outputTokens: 5, cachedTokens: 100 } },
    { type: "stop", reason: "end_turn", text: "all done" },
  ]);
});

test("the reasons why agents stop keep their meaning [AGT-2]", async () => {
  const reasons = ["max_tokens", "max_turn_requests", "refusal", "end_turn"] as const;
  const given = [...reasons];
  const opened = await openSession({
    prompt: async ({ tell }) => {
      await tell(chunk("so far"));
      return { stopReason: given.shift() ?? "end_turn" };
    },
  });
  const ends = [];
  for (const turn of reasons.keys()) ends.push((await takeTurn(opened, { turn })).at(-1));
  expect(ends).toMatchObject([
    { type: "stop", reason: "max_tokens" },
    { type: "stop", reason: "max_turns" },
    { type: "stop", reason: "refusal" },
    { type: "stop", reason: "end_turn", text: "so far" },
  ]);
});

test("a turn that ends without a word, a tool or any use of the model is no success [AGT-2]", async () => {
  const end = (await takeTurn(await openSession({}))).at(-1);
  expect(end).toMatchObject({ type: "error", error: { code: "BACKEND_PROVIDER_FAILED" } });
});

test("each turn tells what it cost itself, and nothing when the agent knows no price [AGT-15]", async () => {
  const totals = [0.5, 0.75, 0.75];
  const opened = await openSession({
    prompt: async ({ tell }) => {
      await tell(chunk("done"));
      const cost = { amount: totals.shift() ?? 0, currency: "USD" };
      await tell({ sessionUpdate: "usage_update", used: 1, size: 2, cost });
      return { stopReason: "end_turn" };
    },
  });
  const costs = [];
  for (const turn of [1, 2, 3]) {
    const updates = await takeTurn(opened, { turn });
    costs.push(updates.flatMap((update) => (update.type === "usage" ? [update.usage] : [])));
  }
  expect(costs).toEqual([[{ costUsd: 0.5 }], [{ costUsd: 0.25 }], []]);
});

test("a text that begins like a command of the agent's own program is a task all the same [T7]", async () => {
  const opened = await openSession({
    prompt: async ({ tell, text }) => {
      await tell(chunk(text));
      return { stopReason: "end_turn" };
    },
  });
  expect((await takeTurn(opened, { prompt: " /extensions install evil" })).at(-1)).toMatchObject({
    text: "The task:\n /extensions install evil",
  });
});

test("the role of an agent comes before its first prompt, and only there [AGT-1]", async () => {
  const opened = await openSession(
    {
      prompt: async ({ tell, text }) => {
        await tell(chunk(text));
        return { stopReason: "end_turn" };
      },
    },
    { spec: { id: "worker", backend: "acp", settings: { systemPrompt: "Be brief." } } },
  );
  const first = await takeTurn(opened, { prompt: "go" });
  const second = await takeTurn(opened, { prompt: "on", turn: 2 });
  expect([first.at(-1), second.at(-1)]).toMatchObject([
    { text: "Be brief.\n\ngo" },
    { text: "on" },
  ]);
});

test("what is no message of the protocol disturbs no turn and is printed nowhere [T12, P15]", async () => {
  const printed = vi.spyOn(console, "error").mockImplementation(() => {});
  const opened = await openSession({
    prompt: async ({ print, tell }) => {
      const title = "\u001b]0;owned\u0007";
      print(`warning ${title}`);
      print("[1,2]");
      print(JSON.stringify({ jsonrpc: "2.0", id: title, result: {} }));
      print(JSON.stringify({ jsonrpc: "2.0", method: title, params: { a: 1 } }));
      print(JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: 7 }));
      const odd = { sessionUpdate: "tool_call", toolCallId: 3, content: "none", locations: [1] };
      print(JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { update: odd } }));
      await tell(chunk("done"));
      return { stopReason: "end_turn" };
    },
  });
  const updates = await takeTurn(opened);
  expect(updates.at(-1)).toEqual({ type: "stop", reason: "end_turn", text: "done" });
  expect(printed).not.toHaveBeenCalled();
  printed.mockRestore();
});
