import { expect, test } from "vitest";
import { exportRunTo } from "../../../../src/app/history/export-run.ts";
import { importRun } from "../../../../src/app/history/import-run.ts";
import type { Machine } from "../../../../src/app/machine/machine.ts";
import { readEvents } from "../../../../src/app/runs/run-events.ts";
import { defineStepWorkflow } from "../../../../src/testing/run-workflow-in-memory.ts";
import { createFileMachine } from "../../file-machine.ts";
import { type Family, startFamily } from "./family.ts";

const leaf = defineStepWorkflow({
  name: "leaf",
  agents: [{ id: "worker" }],
  steps: [{ id: "work", type: "agent", settings: { agent: "worker" } }],
});
const branch = defineStepWorkflow({
  name: "branch",
  workflows: { leaf },
  steps: [{ id: "sub", type: "workflow", settings: { workflow: "leaf" } }],
});

/** A run with two children, the second of which has one too, whose journals are files. */
async function threeBelow(): Promise<Family> {
  const family = await startFamily({
    cwd: createFileMachine().root,
    workflows: { leaf, branch },
    turns: { worker: [{ do: [{ usage: { costUsd: 0.3 } }], say: "worked" }] },
    program: async (context) => {
      await context.child({ workflow: "leaf", input: "one" });
      await context.child({ workflow: "branch", input: "two" });
      return null;
    },
  });
  await family.root.over();
  return family;
}

function linesOf(machine: Machine, run: string): readonly string[] {
  const lines: string[] = [];
  exportRunTo((line) => lines.push(line), machine, { run, isSalvage: false });
  return lines;
}

async function* bytesOf(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(lines.join(""));
}

test("an export takes all runs below along, and an import brings the whole family back [ENG-12, ENG-16]", async () => {
  const { machine } = await threeBelow();
  const lines: string[] = [];
  const options = { run: "run_parent", isSalvage: false };
  const { below } = exportRunTo((line) => lines.push(line), machine, options);
  expect(below).toHaveLength(3);
  const to = createFileMachine();
  const receipt = await importRun(to, { name: "x", bytes: bytesOf(lines) });
  expect(receipt).toMatchObject({ run: "run_parent", below: below.map(({ run }) => ({ run })) });
  expect(to.store.list().toSorted()).toEqual(machine.store.list().toSorted());
  for (const run of machine.store.list())
    expect(readEvents(to, run)).toEqual(readEvents(machine, run));
  // A run with nothing below it is written as it always was.
  const [leafRun = ""] = below.map(({ run }) => run).slice(-1);
  expect(JSON.parse(linesOf(machine, leafRun)[0] ?? "")).toMatchObject({ v: 1 });
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ v: 2 });
});

test("an export of a family that lacks a run, or has another one, is refused and leaves nothing behind [ENG-12, P7, T16]", async () => {
  const { machine } = await threeBelow();
  const whole = linesOf(machine, "run_parent");
  const starts = whole.flatMap((line, at) => (line.startsWith('{"format"') ? [at] : []));
  const [, second = 0, third = 0, fourth = 0] = starts;
  const parts = [
    whole.slice(0, second),
    whole.slice(second, third),
    whole.slice(third, fourth),
    whole.slice(fourth),
  ];
  const [root = [], left = [], right = [], below = []] = parts;
  const other = await startFamily({
    cwd: createFileMachine().root,
    workflows: { leaf },
    turns: { worker: [{ say: "worked" }] },
    program: async () => null,
  });
  await other.root.over();
  const renamed = (lines: readonly string[], id: string) =>
    lines.map((line) => line.replaceAll("run_parent", id));
  const stranger = linesOf(other.machine, "run_parent");
  const attempts = [
    [...root, ...left, ...right],
    root,
    [...root, ...right, ...left, ...below],
    [...root, ...left, ...right, ...below, ...below],
    [...root, ...left, ...right, ...renamed(stranger, "run_other1")],
    [...left, ...root],
  ];
  for (const [index, lines] of attempts.entries()) {
    const to = createFileMachine();
    const importing = importRun(to, { name: "x", bytes: bytesOf(lines) });
    await expect(importing, `attempt ${index}`).rejects.toMatchObject({
      code: "FILE_EXPORT_DAMAGED",
    });
    expect(to.store.list()).toEqual([]);
  }
});

test("a family of which one run is here already is not imported [ENG-12, T16]", async () => {
  const { machine } = await threeBelow();
  const lines = linesOf(machine, "run_parent");
  const { below } = exportRunTo(() => {}, machine, { run: "run_parent", isSalvage: false });
  const to = createFileMachine();
  const one = below[0]?.run ?? "";
  await importRun(to, { name: "x", bytes: bytesOf(linesOf(machine, one)) });
  const importing = importRun(to, { name: "x", bytes: bytesOf(lines) });
  await expect(importing).rejects.toMatchObject({ code: "STORE_RUN_EXISTS" });
  expect(to.store.list()).toEqual([one]);
});
