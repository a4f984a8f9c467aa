import { expect, test } from "vitest";
import { describeBackend } from "../../../src/agents/backends/registry.ts";
import { cassetteSchema } from "../../../src/agents/backends/script/cassette-schema.ts";
import { recordTurns } from "../../../src/agents/backends/script/record-turns.ts";
import type { EventData, JournalEvent } from "../../../src/contracts/events/event.ts";

const NO_FILES = {
  isOwnTool: (tool: string) => tool.startsWith("channel_"),
  contentOf: () => undefined,
  traitsOf: describeBackend,
};

test("each ended turn is an entry with what it did, spent and said [AGT-4]", () => {
  const cassette = record([
    spawned("coder", "claude"),
    started("coder", 1, "code"),
    {
      type: "tool-called",
      agent: "coder",
      turn: 1,
      call: "c1",
      tool: "Bash",
      input: { command: "ls" },
    },
    {
      type: "tool-returned",
      agent: "coder",
      turn: 1,
      call: "c1",
      tool: "Bash",
      isError: true,
      result: "no",
    },
    { type: "file-changed", agent: "coder", turn: 1, path: "a.ts", kind: "edit" },
    { type: "permission-requested", id: "prm_1", agent: "coder", turn: 1, tool: "Bash", input: {} },
    { type: "question-asked", id: "qst_1", agent: "coder", turn: 1, text: "which?" },
    { ...completed("coder", 1, "DONE: coded"), usage: { inputTokens: 3, costUsd: 0.5 } },
  ]);
  expect(cassette).toEqual({
    version: 1,
    agents: {
      coder: [
        {
          do: [
            { tool: { name: "Bash", input: { command: "ls" }, result: "no", isError: true } },
            { file: { path: "a.ts", kind: "edit" } },
            { permission: { tool: "Bash", input: {}, onDeny: "continue" } },
            { ask: "which?" },
            { usage: { inputTokens: 3, costUsd: 0.5 } },
          ],
          say: "DONE: coded",
        },
      ],
    },
    repeat: "fail",
  });
});

test("failed, crashed and cut off turns end in the same way again [AGT-4]", () => {
  const { agents } = record([
    spawned("coder", "claude"),
    started("coder", 1, "code"),
    failed("coder", 1, "OVERLOADED"),
    started("coder", 2, "code"),
    failed("coder", 2, "BACKEND_CRASHED"),
    started("coder", 3, "code"),
    { type: "turn-interrupted", agent: "coder", turn: 3, reason: "timed-out" },
    started("coder", 4, "code"),
    { ...completed("coder", 4, "half"), stopReason: "max_turns" },
  ]);
  expect(agents?.["coder"]).toEqual([
    { fail: { code: "OVERLOADED", message: "busy", retryable: true } },
    { crash: true },
    { hang: true },
    { say: "half", stop: "max_turns" },
  ]);
});

test("a turn that its owner's death cut off is one entry, with what is not done twice [AGT-4, ENG-2]", () => {
  const { agents } = record([
    spawned("coder", "claude"),
    started("coder", 1, "code"),
    posted("coder", "half way", "key-coder-1/1"),
    {
      type: "signal-received",
      agent: "coder",
      turn: 1,
      signal: { kind: "ack", value: "", by: "tool" },
      counted: true,
    },
    { type: "turn-interrupted", agent: "coder", turn: 1, reason: "owner-died" },
    { ...started("coder", 1, "code"), attempt: 2 },
    {
      type: "signal-received",
      agent: "coder",
      turn: 1,
      signal: { kind: "ack", value: "", by: "tool" },
      counted: true,
    },
    posted("coder", "DONE: ok", "key-coder-1/announce"),
    completed("coder", 1, "DONE: ok"),
  ]);
  expect(agents?.["coder"]).toEqual([
    {
      do: [{ send: { channel: "main", text: "half way" } }, { signal: { kind: "ack", value: "" } }],
      say: "DONE: ok",
    },
  ]);
});

test("a call of a tool of Troupe's own is made again and its effect is not recorded beside it [AGT-4]", () => {
  const { agents } = record([
    spawned("coder", "claude"),
    started("coder", 1, "code"),
    posted("coder", "hello", "key-coder-1/1"),
    {
      type: "tool-called",
      agent: "coder",
      turn: 1,
      call: "c1",
      tool: "channel_send",
      input: { message: "hello" },
    },
    posted("coder", "unasked", "key-coder-1/2"),
    completed("coder", 1, "DONE"),
  ]);
  expect(agents?.["coder"]).toEqual([
    {
      do: [
        { call: { tool: "channel_send", arguments: { message: "hello" } } },
        { send: { channel: "main", text: "unasked" } },
      ],
      say: "DONE",
    },
  ]);
});

test("agents of several steps have a list for each, and programs have none [AGT-4]", () => {
  const { agents } = record([
    spawned("worker", "claude"),
    spawned("check", "command"),
    started("worker", 1, "left"),
    started("worker", 2, "right"),
    started("check", 1, "test"),
    completed("check", 1, "ok"),
    completed("worker", 2, "DONE: right"),
    completed("worker", 1, "DONE: left"),
  ]);
  expect(agents).toEqual({
    "worker/right": [{ say: "DONE: right" }],
    "worker/left": [{ say: "DONE: left" }],
  });
});

test("a person's answer is what the turn says, and the question is not asked again [AGT-3.human, AGT-4]", () => {
  const { agents } = record([
    spawned("boss", "human"),
    started("boss", 1, "decide"),
    { type: "question-asked", id: "qst_1", agent: "boss", turn: 1, text: "which?" },
    completed("boss", 1, "postgres"),
  ]);
  expect(agents?.["boss"]).toEqual([{ say: "postgres" }]);
});

test("a changed file is written again when its text is known [AGT-4]", () => {
  const { agents } = record(
    [
      spawned("coder", "claude"),
      started("coder", 1, "code"),
      { type: "file-changed", agent: "coder", turn: 1, path: "a.ts", kind: "create" },
      { type: "file-changed", agent: "coder", turn: 1, path: "b.ts", kind: "delete" },
      completed("coder", 1, "DONE"),
    ],
    () => "text",
  );
  expect(agents?.["coder"]).toEqual([
    {
      do: [
        { write: { path: "a.ts", content: "text" } },
        { file: { path: "b.ts", kind: "delete" } },
      ],
      say: "DONE",
    },
  ]);
});

function record(
  facts: readonly EventData[],
  contentOf: () => string | undefined = () => undefined,
) {
  const events = facts.map((data, index): JournalEvent => ({ ...data, seq: index + 1, at: index }));
  const cassette = recordTurns(events, { ...NO_FILES, contentOf });
  cassetteSchema.parse(cassette);
  return cassette;
}

function spawned(agent: string, backend: string): EventData {
  return { type: "agent-spawned", agent, backend, spec: { id: agent, backend } };
}

function started(agent: string, turn: number, step: string) {
  return {
    type: "turn-started" as const,
    agent,
    turn,
    attempt: 1,
    session: `${agent}/main`,
    key: `key-${agent}-${turn}`,
    items: [],
    step: { id: step, path: step, execution: 1, attempt: 1 },
  };
}

function completed(agent: string, turn: number, text: string) {
  return {
    type: "turn-completed" as const,
    agent,
    turn,
    text,
    stopReason: "end_turn" as const,
    signals: [],
  };
}

function failed(agent: string, turn: number, code: string): EventData {
  return { type: "turn-failed", agent, turn, error: { code, message: "busy", retryable: true } };
}

function posted(from: string, text: string, key: string): EventData {
  return {
    type: "message-posted",
    id: `m-${key}`,
    from,
    channel: "main",
    text,
    mentions: [],
    signals: [],
    key,
  };
}
