import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Step } from "../../../clients/model-server/script.ts";
import { createMemoryRecord } from "./memory-record.ts";
import { modelRun } from "./model-run.ts";

const LEDGER = "ledger";
const append = (what: string) => ({ shell: `echo ${what} >> ${LEDGER}` });
const STEPS: readonly Step[] = [
  { text: "first", calls: [append("one"), append("two")] },
  { calls: [{ tool: "LS" }, { tool: "LS", args: { path: "." } }] },
  { calls: [append("three"), { tool: "LS" }] },
  { text: "all done" },
];
const EFFECTS = ["one", "two", "three"];

async function effectsIn(cwd: string): Promise<readonly string[]> {
  const text = await readFile(join(cwd, LEDGER), "utf8").catch(() => "");
  return text.split("\n").filter((line) => line !== "");
}

test("killed after every entry of its record a turn goes on: no answer is paid for twice, no effect happens twice [LOOP-12]", async () => {
  const whole = createMemoryRecord();
  const first = await modelRun({ record: whole });
  await first.turn(STEPS);
  expect(await effectsIn(first.cwd)).toEqual(EFFECTS);
  expect(first.server.calls()).toHaveLength(STEPS.length);
  const count = whole.kept.length;
  expect(count).toBe(14);
  for (let written = 1; written < count; written += 1) {
    const before = createMemoryRecord([], written);
    const run = await modelRun({ record: before });
    const cut = await run.turn(STEPS);
    expect(cut.at(-1)).toMatchObject({ type: "error" });
    const after = createMemoryRecord(before.kept);
    const next = await modelRun({ record: after, resume: "worker@1", like: run });
    const updates = await next.turn(STEPS, { attempt: 2 });
    expect(updates.at(-1)).toEqual({ type: "stop", reason: "end_turn", text: "all done" });
    const answers = after.kept.filter(({ fact }) => fact.type === "model-called");
    expect(answers).toHaveLength(STEPS.length);
    // Only the answer that came while the process ended is asked for again.
    const lost = isAsked(before.kept.at(-1)?.fact) ? 1 : 0;
    expect(run.server.calls().length).toBeLessThanOrEqual(STEPS.length + lost);
    const effects = await effectsIn(run.cwd);
    expect(effects).toEqual([...new Set(effects)]);
    expectExplained(
      after.kept.map(({ entry }) => entry),
      effects,
    );
  }
});

/** Whether the model was asked right after this was written. */
function isAsked(fact: { readonly type: string; readonly what?: string } | undefined): boolean {
  return fact?.what === "told" || fact?.what === "tool-ended";
}

const resultSchema = z.object({ kind: z.literal("result"), text: z.string() });

/** An effect that is missing was told to the model as interrupted. */
function expectExplained(entries: readonly unknown[], effects: readonly string[]): void {
  const results = entries.flatMap((entry) => resultSchema.safeParse(entry).data ?? []);
  const interrupted = results.filter(({ text }) => text.startsWith("interrupted;"));
  expect(results).toHaveLength(6);
  expect(interrupted.length).toBeLessThanOrEqual(1);
  if (effects.length < EFFECTS.length) expect(interrupted).toHaveLength(1);
}

const EDIT: readonly Step[] = [
  { calls: [{ tool: "Read", args: { file_path: "a.txt" } }] },
  { calls: [{ tool: "Edit", args: { file_path: "a.txt", old_string: "one", new_string: "two" } }] },
  {
    calls: [{ tool: "Edit", args: { file_path: "a.txt", old_string: "two", new_string: "three" } }],
  },
  { text: "ok" },
];

/** What the tools of a record said that refused or failed. */
function problemsIn(entries: readonly { readonly entry: unknown }[]): readonly string[] {
  const failed = z.object({
    kind: z.literal("result"),
    isError: z.literal(true),
    text: z.string(),
  });
  return entries.flatMap(({ entry }) => failed.safeParse(entry).data?.text ?? []);
}

test("a file that was read before a process ended counts as read in the next one, as it was then [LOOP-2, LOOP-12]", async () => {
  const whole = createMemoryRecord();
  const first = await modelRun({ record: whole });
  await writeFile(join(first.cwd, "a.txt"), "one");
  await first.turn(EDIT);
  expect(problemsIn(whole.kept)).toEqual([]);
  for (let written = 1; written < whole.kept.length; written += 1) {
    const before = createMemoryRecord([], written);
    const run = await modelRun({ record: before });
    const file = join(run.cwd, "a.txt");
    await writeFile(file, "one");
    await run.turn(EDIT);
    const isBegun = before.kept.at(-1)?.fact;
    const next = createMemoryRecord(before.kept);
    const goesOn = await modelRun({ record: next, resume: "worker@1", like: run });
    await goesOn.turn(EDIT, { attempt: 2 });
    const isInterrupted = isBegun !== undefined && JSON.stringify(isBegun).includes("tool-started");
    const problems = problemsIn(next.kept).filter((text) => !text.startsWith("interrupted;"));
    if (!isInterrupted)
      expect([written, problems, await readFile(file, "utf8")]).toEqual([written, [], "three"]);
  }
});

test("one that somebody has changed between two processes has to be read again [LOOP-2, LOOP-12]", async () => {
  const before = createMemoryRecord([], 4);
  const run = await modelRun({ record: before });
  await writeFile(join(run.cwd, "a.txt"), "one");
  await run.turn(EDIT);
  await writeFile(join(run.cwd, "a.txt"), "one of somebody else");
  const next = createMemoryRecord(before.kept);
  await (await modelRun({ record: next, resume: "worker@1", like: run })).turn(EDIT, {
    attempt: 2,
  });
  expect(problemsIn(next.kept)[0]).toBe("a.txt has changed since it was read; read it again");
  expect(await readFile(join(run.cwd, "a.txt"), "utf8")).toBe("one of somebody else");
});

test("a session that goes on shows its model the same messages as one that was never interrupted [LOOP-6.resumed]", async () => {
  const steps: readonly Step[] = [
    { text: "look", calls: [{ tool: "Read", args: { file_path: "a.txt" } }] },
    { calls: [{ tool: "LS" }] },
    { text: "ok" },
  ];
  const whole = createMemoryRecord();
  const first = await modelRun({ record: whole });
  await writeFile(join(first.cwd, "a.txt"), "text");
  await first.turn(steps);
  const expected = JSON.parse(first.server.calls().at(-1)?.body ?? "");
  for (let written = 1; written < whole.kept.length; written += 1) {
    const record = createMemoryRecord(whole.kept.slice(0, written));
    const next = await modelRun({ record, resume: "worker@1", like: first });
    await next.turn(steps, { attempt: 2 });
    const { messages } = JSON.parse(first.server.calls().at(-1)?.body ?? "");
    expect(withoutIds(messages)).toEqual(withoutIds(expected.messages));
  }
});

function withoutIds(messages: unknown): string {
  return JSON.stringify(messages).replaceAll(/toolu_\w+/g, "id");
}

test("a secret that was not kept is not written in its place [AGT-11, LOOP-12]", async () => {
  const steps: readonly Step[] = [
    { calls: [{ tool: "Write", args: { file_path: "a.txt", content: "key ***" } }] },
    { text: "ok" },
  ];
  const before = createMemoryRecord([], 2);
  const run = await modelRun({ record: before });
  await run.turn(steps);
  const after = createMemoryRecord(before.kept);
  const next = await modelRun({ record: after, resume: "worker@1", like: run });
  const updates = await next.turn(steps, { attempt: 2 });
  expect(updates).toContainEqual(
    expect.objectContaining({
      type: "tool-result",
      isError: true,
      result: expect.stringContaining("secret"),
    }),
  );
});

test("a session that has no record to go on with is unknown, so that a new one begins [AGT-5]", async () => {
  await expect(modelRun({ resume: "worker@1" })).rejects.toMatchObject({
    code: "BACKEND_SESSION_UNKNOWN",
  });
});
