import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../../../../src/foundation/clock.ts";
import type { ModelAnswer } from "../../../clients/model-server/model-request.ts";
import { createMemoryRecord } from "./memory-record.ts";
import { DIALECTS, type Dialect, modelRun, resultsOf } from "./model-run.ts";
import { errorOf, rawModelServer, streamOf, toText, type WholeReply } from "./raw-model-server.ts";

const dialects = Object.keys(DIALECTS).filter((name): name is Dialect => name in DIALECTS);
const DONE: ModelAnswer = { text: "done", calls: [] };
/** A clock whose waits are over at once. */
const hurried: Clock = {
  ...systemClock,
  startTimer: (_delayMs, fire) => systemClock.startTimer(0, fire),
};

/** A model that gives these replies one after the other, the last one for ever. */
async function playing(dialect: Dialect, replies: readonly WholeReply[]) {
  let asked = 0;
  const server = await rawModelServer(() => {
    const reply = replies[Math.min(asked, replies.length - 1)] ?? streamOf(dialect, DONE);
    asked += 1;
    return reply;
  });
  const record = createMemoryRecord();
  const settings = { baseUrl: `${server.url}${DIALECTS[dialect].path}` };
  const run = await modelRun({ dialect, record, settings, clock: hurried });
  return { ...run, bodies: server.bodies, record };
}

const calling = (dialect: Dialect, name: string, args: { readonly [name: string]: string }) =>
  streamOf(dialect, { calls: [{ tool: { name }, args }] });

/** The arguments end too early; where they are no text, they are none of an object. */
function broken({ pieces, ...reply }: WholeReply): WholeReply {
  const cut = (piece: string) =>
    piece
      .replaceAll(String.raw`{\"a\":\"MARK\"}`, String.raw`{\"a\":\"MARK`)
      .replaceAll('{"a":"MARK"}', '"MARK"');
  return { ...reply, pieces: pieces.map(cut) };
}

describe.each(dialects)("a model asked by %s", (dialect) => {
  test("arguments that are no JSON go back to it as an error, and the next request holds together [LOOP-4.errors, LOOP-10]", async () => {
    const wrong = broken(calling(dialect, "Read", { a: "MARK" }));
    expect(wrong.pieces.join("")).not.toContain('MARK\\"}');
    const run = await playing(dialect, [wrong, streamOf(dialect, DONE)]);
    const updates = await run.turn([], { prompt: "go" });
    expect(updates.at(-1)).toEqual({ type: "stop", reason: "end_turn", text: "done" });
    expect(resultsOf(updates)).toEqual([expect.stringMatching(/^error: /)]);
    expect(run.bodies).toHaveLength(2);
  });

  test("a tool that nobody has goes back to it with the names of those that there are [LOOP-4.errors, LOOP-10]", async () => {
    const run = await playing(dialect, [
      calling(dialect, "Frobnicate", { much: "yes" }),
      streamOf(dialect, DONE),
    ]);
    const updates = await run.turn([], { prompt: "go" });
    expect(resultsOf(updates)).toEqual([
      expect.stringMatching(/^error: there is no tool "Frobnicate"; there are .*Read.*Bash/s),
    ]);
    expect(updates.at(-1)).toMatchObject({ type: "stop", text: "done" });
    expect(run.bodies[1]).toContain("Frobnicate");
  });

  test("a call without a name goes back to it with the names of the tools that there are [LOOP-4.errors, AGT-21.lists]", async () => {
    const run = await playing(dialect, [calling(dialect, "", {}), streamOf(dialect, DONE)]);
    const updates = await run.turn([], { prompt: "go" });
    expect(resultsOf(updates)).toEqual([expect.stringMatching(/^error: there is no tool ""/)]);
    expect(updates.at(-1)).toMatchObject({ type: "stop", text: "done" });
  });

  test("ten wrong calls in a row fail the turn [LOOP-10]", async () => {
    const run = await playing(dialect, [calling(dialect, "Frobnicate", {})]);
    const updates = await run.turn([], { prompt: "go" });
    expect(updates.at(-1)).toMatchObject({
      type: "error",
      error: { code: "AGENT_BAD_TOOL_CALLS" },
    });
    expect(run.bodies).toHaveLength(10);
  });

  test("an answer that is no stream of events at all fails the turn after nine tries [LOOP-5]", async () => {
    const run = await playing(dialect, [{ pieces: ["<html>busy</html>"], ending: "ended" }]);
    const updates = await run.turn([], { prompt: "go" });
    expect(updates.at(-1)).toMatchObject({
      type: "error",
      error: { code: "BACKEND_PROVIDER_FAILED" },
    });
    expect(run.bodies).toHaveLength(9);
  });

  test("a context that the provider finds too long is made shorter, and the turn goes on [LOOP-4.compaction, LOOP-13.overflow]", async () => {
    const words = TOO_LONG[dialect];
    const run = await playing(dialect, [
      streamOf(dialect, { text: "An old answer.", calls: [] }),
      calling(dialect, "Read", { file_path: "a.txt" }),
      errorOf(dialect, 400, words),
      streamOf(dialect, { text: "All of it in short.", calls: [] }),
      streamOf(dialect, DONE),
    ]);
    await writeFile(join(run.cwd, "a.txt"), `${"x".repeat(99)}\n`.repeat(1500));
    await run.turn([], { prompt: `an old word ${"y".repeat(200_000)}` });
    const updates = await run.turn([], { prompt: "a new word", turn: 2 });
    expect(updates.at(-1)).toMatchObject({ type: "stop", text: "done" });
    const last = run.bodies.at(-1) ?? "";
    expect(last).toContain("All of it in short.");
    expect(last).not.toContain("an old word");
    const [compacted] = run.record.kept.filter(({ fact }) => fact.type === "context-compacted");
    const { before = 0, after = 0 } =
      compacted?.fact.type === "context-compacted" ? compacted.fact : {};
    expect(before).toBeGreaterThan(after);
    expect(after).toBeGreaterThan(0);
    expect(last.length).toBeLessThan((run.bodies[2] ?? "").length);
  });
});

/** Errors that come in a stream that has begun well. */
const IN_STREAM = {
  anthropic: {
    event: "error",
    data: { type: "error", error: { type: "overloaded_error", message: "told in the stream" } },
  },
  responses: {
    event: "error",
    data: {
      type: "error",
      sequence_number: 1,
      error: {
        type: "requests",
        code: "rate_limit_exceeded",
        message: "told in the stream",
        param: null,
      },
    },
  },
  chat: { data: { error: { message: "told in the stream", type: "rate_limit_error", code: 429 } } },
  "openai-chat": {
    data: {
      error: {
        message: "told in the stream",
        type: "rate_limit_error",
        code: "rate_limit_exceeded",
      },
    },
  },
  google: {
    data: { error: { code: 429, message: "told in the stream", status: "RESOURCE_EXHAUSTED" } },
  },
};

test.each(dialects)(
  "%s: that its provider is busy is understood in the middle of a stream too [LOOP-5]",
  async (dialect) => {
    const { pieces } = streamOf(dialect, { text: "I begin with this", calls: [] });
    const error = toText(IN_STREAM[dialect]);
    const run = await playing(dialect, [
      { pieces: [...pieces.slice(0, 2), error], ending: "ended" },
    ]);
    const updates = await run.turn([], { prompt: "go" });
    expect(updates.at(-1)).toMatchObject({
      type: "error",
      error: { code: "BACKEND_OVERLOADED", message: expect.stringContaining("told in the stream") },
    });
    expect(run.bodies).toHaveLength(1);
  },
);

/** What the makers say. */
const TOO_LONG: { readonly [dialect in Dialect]: string } = {
  anthropic: "prompt is too long: 250000 tokens > 200000 maximum",
  responses:
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
  chat: "the request exceeds the available context size, try increasing it",
  "openai-chat":
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.",
  google: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
};
