import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Step } from "../../../clients/model-server/script.ts";
import { createMemoryRecord } from "./memory-record.ts";
import { modelRun } from "./model-run.ts";

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
