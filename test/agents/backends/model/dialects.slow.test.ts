import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createMemoryRecord } from "./memory-record.ts";
import { DIALECTS, type Dialect, modelRun, resultsOf } from "./model-run.ts";

const dialects = Object.keys(DIALECTS).filter((name): name is Dialect => name in DIALECTS);

describe.each(dialects)("a model asked by %s", (dialect) => {
  test("reads, edits and answers; what it says is streamed and its tokens are told [AGT-3.model, LOOP-1.reports]", async () => {
    const run = await modelRun({ dialect });
    await writeFile(join(run.cwd, "a.txt"), "one\ntwo\n");
    const edit = { file_path: "a.txt", old_string: "two", new_string: "three" };
    const updates = await run.turn([
      { text: "looking", calls: [{ tool: "Read", args: { file_path: "a.txt" } }, { tool: "LS" }] },
      { calls: [{ tool: "Edit", args: edit }] },
      { text: "changed it" },
    ]);
    expect(updates.at(-1)).toEqual({ type: "stop", reason: "end_turn", text: "changed it" });
    const read = "     1\tone\n     2\ttwo";
    expect(resultsOf(updates).toSorted()).toEqual([read, "Changed a.txt.", "a.txt"]);
    expect(await readFile(join(run.cwd, "a.txt"), "utf8")).toBe("one\nthree\n");
    const text = updates
      .map((update) => (update.type === "text-delta" ? update.text : ""))
      .join("");
    expect(text).toBe("lookingchanged it");
    const usages = updates.filter(({ type }) => type === "usage");
    expect(usages).toHaveLength(3);
    expect(usages[0]).toMatchObject({
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
    });
    expect(updates).toContainEqual({ type: "file-change", path: "a.txt", kind: "edit" });
  });

  test("what a tool refuses and what it does not know go back to it as results [LOOP-4.errors, LOOP-10]", async () => {
    const run = await modelRun({ dialect });
    const updates = await run.turn([
      { calls: [{ tool: "Read", args: { file_path: "no.txt" } }] },
      { calls: [{ tool: "Read", args: { path: 7 } }] },
      { text: "so be it" },
    ]);
    expect(updates.at(-1)).toMatchObject({ type: "stop", text: "so be it" });
    expect(resultsOf(updates)).toEqual([
      "error: no.txt does not exist",
      expect.stringMatching(/^error: .*file_path/s),
    ]);
  });

  test("a refusal ends the turn as one and is not asked again [LOOP-10]", async () => {
    const run = await modelRun({ dialect });
    const updates = await run.turn([{ text: "I will not.", declines: true }]);
    expect(updates.at(-1)).toMatchObject({ type: "stop", reason: "refusal" });
    expect(run.server.calls()).toHaveLength(1);
  });

  test("an empty answer is asked for once more [LOOP-10]", async () => {
    const run = await modelRun({ dialect });
    const updates = await run.turn([{ text: "" }]);
    expect(updates.at(-1)).toEqual({ type: "stop", reason: "end_turn", text: "" });
    expect(run.server.calls()).toHaveLength(2);
  });

  test("an answer of white space is kept, and not shown again to a session that goes on [LOOP-6.resumed]", async () => {
    const record = createMemoryRecord();
    const run = await modelRun({ dialect, record });
    await run.turn([{ text: " \n" }]);
    const next = await modelRun({ dialect, record, like: run, resume: "worker@1" });
    await next.turn([{ text: "well" }], { turn: 2 });
    expect(record.kept.filter(({ fact }) => fact.type === "model-called")).toHaveLength(3);
    const isShown = /"role":"(?:assistant|model)"/.test(run.server.calls().at(-1)?.body ?? "");
    expect(isShown).toBe(false);
  });

  test.each([
    [400, "BACKEND_PROVIDER_REFUSED", 1],
    [401, "BACKEND_NOT_SIGNED_IN", 1],
    [429, "BACKEND_OVERLOADED", 1],
    [529, "BACKEND_OVERLOADED", 1],
  ])(
    "%i fails the turn at once as %s, with the provider's words [LOOP-5]",
    async (status, code, calls) => {
      const run = await modelRun({ dialect });
      const updates = await run.turn([{ fail: { status, retryAfterSeconds: 3 } }]);
      expect(updates.at(-1)).toMatchObject({
        type: "error",
        error: { code, message: expect.stringContaining(`scripted ${status}`) },
      });
      const { details } = expectError(updates.at(-1));
      if (code === "BACKEND_OVERLOADED") expect(details).toMatchObject({ retryAfterMs: 3000 });
      expect(run.server.calls()).toHaveLength(calls);
    },
  );
});

function expectError(update: unknown): { readonly details?: unknown } {
  if (typeof update === "object" && update !== null && "error" in update) {
    const { error } = update;
    if (typeof error === "object" && error !== null) return error;
  }
  return {};
}
