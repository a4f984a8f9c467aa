import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mergeRun } from "../../../../src/app/run/merge/merge-run.ts";
import type { MergeConflict } from "../../../../src/app/run/merge/merge-work.ts";
import { conflictTask } from "../../../../src/cli/actions/merge.ts";
import { createProject, type PlacedProject, runPlaced } from "../../../agents/places/placed-run.ts";

/** A run whose two agents changed the same line, merged with somebody who resolves. */
async function mergeWith(
  project: PlacedProject,
  solve: (conflict: MergeConflict) => Promise<boolean>,
) {
  const agents = ["one", "two"].map((id) => ({
    ...{ id, backend: "script", isolation: "worktree" },
    script: [{ do: [{ write: { path: "src/a.txt", content: `${id}\n` } }], say: "DONE: ok" }],
  }));
  const steps = agents.map(({ id }) => ({ id: `do-${id}`, agent: id, prompt: "work" }));
  const { id: run } = await runPlaced(project, { pattern: "dag", agents, steps });
  const wish = {
    agent: "somebody",
    verify: "test -s src/a.txt",
    verifyTimeoutMs: 60_000,
    keeps: false,
  };
  const signal = new AbortController().signal;
  const order = { kind: "begin", wish } as const;
  return mergeRun(
    project.machine,
    { given: run, order },
    { tell: () => {}, agree: async () => true, solve, signal },
  );
}

test("an agent gets the conflict as its task, and what it resolves is committed and verified [AGT-13]", async () => {
  const project = createProject();
  let task = "";
  const report = await mergeWith(project, async (conflict) => {
    task = conflictTask(conflict);
    writeFileSync(join(conflict.root, "src/a.txt"), "one and two\n");
    return true;
  });
  expect(report.end.status).toBe("merged");
  expect(task).toContain('- "src/a.txt"');
  expect(readFileSync(join(project.root, "src/a.txt"), "utf8")).toBe("one and two\n");
  expect(project.git("status", "--porcelain")).toBe("");
});

test.each([
  ["leaves marks in a file", async () => true],
  ["says that it cannot", async () => false],
])("an agent that %s leaves the conflict to a person [AGT-13]", async (_, solve) => {
  const project = createProject();
  const report = await mergeWith(project, solve);
  expect(report.end).toEqual({ status: "conflict", files: ["src/a.txt"] });
  expect(report.merged.map(({ agent }) => agent)).toEqual(["one"]);
});

test("an agent that gives the merge up against its orders has merged nothing [AGT-13]", async () => {
  const project = createProject();
  const report = await mergeWith(project, async () => {
    project.git("merge", "--abort");
    return true;
  });
  expect(report.end.status).toBe("conflict");
  expect(report.left.map(({ agent }) => agent)).toEqual(["two"]);
});
