import { readFile } from "node:fs/promises";
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
  { calls: [{ tool: "LS" }, { tool: "Glob", args: { pattern: "*" } }] },
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
