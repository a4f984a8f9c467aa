import { expect, test } from "vitest";
import type { StreamEvent } from "../../../clients/model-server/protocol.ts";
import { createMemoryRecord } from "./memory-record.ts";
import { DIALECTS, type Dialect, modelRun } from "./model-run.ts";
import { rawModelServer, streamOf, toText } from "./raw-model-server.ts";

const SIGNATURE = "c2lnbmF0dXJlIG9mIGEgdGhvdWdodA==";

/** An answer that thinks and calls LS, as each maker streams it. */
const THINKING: { readonly [dialect in Dialect]: readonly [model: string, ...StreamEvent[]] } = {
  anthropic: [
    "anthropic/claude-sonnet-4-5",
    ...anthropic("message_start", {
      message: {
        ...{ id: "m", type: "message", role: "assistant", model: "x", content: [] },
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    }),
    ...anthropic("content_block_start", {
      index: 0,
      content_block: { type: "thinking", thinking: "" },
    }),
    ...anthropic("content_block_delta", {
      index: 0,
      delta: { type: "thinking_delta", thinking: "I had better look." },
    }),
    ...anthropic("content_block_delta", {
      index: 0,
      delta: { type: "signature_delta", signature: SIGNATURE },
    }),
    ...anthropic("content_block_stop", { index: 0 }),
    ...anthropic("content_block_start", {
      index: 1,
      content_block: { type: "tool_use", id: "toolu_1", name: "LS", input: {} },
    }),
    ...anthropic("content_block_stop", { index: 1 }),
    ...anthropic("message_delta", {
      delta: { stop_reason: "tool_use" },
      usage: { output_tokens: 9 },
    }),
    ...anthropic("message_stop", {}),
  ],
  responses: ["openai/gpt-5.1", ...responsesEvents()],
  chat: ["local/qwen3", ...chatEvents()],
  "openai-chat": ["openai/gpt-5.1", ...chatEvents()],
  google: [
    "google/gemini-3-pro-preview",
    gemini({ text: "I had better look.", thought: true }),
    gemini({ functionCall: { name: "LS", args: {} }, thoughtSignature: SIGNATURE }),
    gemini({ text: "" }, "STOP"),
  ],
};

function anthropic(type: string, rest: StreamEvent["data"]): readonly StreamEvent[] {
  return typeof rest === "string" ? [] : [{ event: type, data: { type, ...rest } }];
}

function gemini(part: { readonly [name: string]: string | boolean | object }, finish?: string) {
  const reason = finish === undefined ? {} : { finishReason: finish };
  const candidate = { content: { role: "model", parts: [part] }, index: 0, ...reason };
  return { data: JSON.stringify({ candidates: [candidate] }) };
}

function chatEvents(): readonly StreamEvent[] {
  const call = { index: 0, id: "c", type: "function", function: { name: "LS", arguments: "{}" } };
  const chunk = (delta: object, finish: string | null = null) => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    return { data: JSON.stringify({ id: "x", created: 0, model: "x", choices }) };
  };
  return [
    chunk({ role: "assistant", reasoning_content: "I had better look." }),
    chunk({ tool_calls: [call] }),
    chunk({}, "tool_calls"),
    { data: "[DONE]" },
  ];
}

function responsesEvents(): readonly StreamEvent[] {
  const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: SIGNATURE };
  const call = { type: "function_call", id: "fc_1", call_id: "c", name: "LS", arguments: "{}" };
  const response = { id: "resp_1", created_at: 1, model: "gpt-5.1", output: [] };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const text = { item_id: "rs_1", summary_index: 0 };
  const all: readonly { readonly type: string; readonly [name: string]: unknown }[] = [
    { type: "response.created", response },
    { type: "response.output_item.added", output_index: 0, item: thought },
    { type: "response.reasoning_summary_part.added", ...text },
    { type: "response.reasoning_summary_text.delta", ...text, delta: "I had better look." },
    { type: "response.output_item.done", output_index: 0, item: thought },
    { type: "response.output_item.added", output_index: 1, item: call },
    { type: "response.output_item.done", output_index: 1, item: { ...call, status: "completed" } },
    { type: "response.completed", response: { ...response, usage } },
  ];
  return all.map((event) => ({ event: event.type, data: JSON.stringify(event) }));
}

/** What the maker wants to see again. */
const SHOWN_AGAIN: { readonly [dialect in Dialect]: string } = {
  anthropic: `{"type":"thinking","thinking":"I had better look.","signature":"${SIGNATURE}"}`,
  responses: `"encrypted_content":"${SIGNATURE}"`,
  chat: '"reasoning_content":"I had better look."',
  // This protocol takes no thoughts.
  "openai-chat": '"tool_calls":',
  google: `"thoughtSignature":"${SIGNATURE}"`,
};

const dialects = Object.keys(DIALECTS).filter((name): name is Dialect => name in DIALECTS);

test.each(dialects)(
  "%s: thoughts are streamed, kept, and shown again as the maker wants them, also after the process has ended [LOOP-7.thoughts]",
  async (dialect) => {
    const [model, ...events] = THINKING[dialect];
    const thinking = { pieces: events.map(toText), ending: "ended" } as const;
    let asked = 0;
    const server = await rawModelServer(() => {
      asked += 1;
      return asked === 1 ? thinking : streamOf(dialect, { text: "done", calls: [] });
    });
    const record = createMemoryRecord();
    const options = {
      ...{ dialect, spec: { model, effort: "low" } as const },
      settings: { baseUrl: `${server.url}${DIALECTS[dialect].path}` },
    };
    const run = await modelRun({ ...options, record });
    const updates = await run.turn([], { prompt: "go" });
    expect(updates.at(-1)).toMatchObject({ type: "stop", text: "done" });
    if (dialect !== "openai-chat")
      expect(updates).toContainEqual({ type: "thinking", text: "I had better look." });
    const [, second = ""] = server.bodies;
    expect(second).toContain(SHOWN_AGAIN[dialect]);
    const answered = record.kept.findIndex(({ fact }) => fact.type === "model-called");
    const cut = createMemoryRecord(record.kept.slice(0, answered + 1));
    const next = await modelRun({ ...options, record: cut, resume: "worker@1", like: run });
    await next.turn([], { prompt: "go", attempt: 2 });
    expect(server.bodies.at(-1)).toBe(second);
  },
);

test("Anthropic is told what it may keep in its cache: what comes first, and all up to the last message [LOOP-7.cache]", async () => {
  const run = await modelRun();
  await run.turn([{ calls: [{ tool: "LS" }] }, { text: "ok" }]);
  const marks = run.server.calls().map(({ body }) => {
    const { system, messages } = JSON.parse(body);
    const isMarked = (part: object) => "cache_control" in part;
    return {
      system: system.some(isMarked),
      messages: messages.map(({ content }: { readonly content: readonly object[] }) =>
        content.some(isMarked),
      ),
    };
  });
  expect(marks).toEqual([
    { system: true, messages: [true] },
    { system: true, messages: [false, false, true] },
  ]);
});

test.each(dialects)("%s: tokens from a cache are told apart [LOOP-7.cache]", async (dialect) => {
  const run = await modelRun({ dialect });
  const updates = await run.turn([{ text: "ok" }]);
  expect(updates).toContainEqual({
    type: "usage",
    usage: { inputTokens: 1200, outputTokens: 50, cachedTokens: 1000 },
  });
});
