import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject, runPlaced } from "./placed-run.ts";
import {
  agentsOf,
  endsOf,
  expectedEnds,
  FAILING,
  fill,
  HOLDING,
  stepsOf,
  TOLD,
} from "./worked-places.ts";

test("checks, gates, changed tests and values of git are those of the worktree where the turn worked [AGT-16]", async () => {
  const project = createProject();
  fill(project);
  const wanted = ["file", "tests", "diff-in-check", "review", "unchanged", "script"];
  const rows = [...HOLDING, ...TOLD, ...FAILING].filter(({ id }) => wanted.includes(id));
  const at = { isolation: "worktree", cwd: undefined, rows } as const;
  const end = await runPlaced(project, {
    ...{ pattern: "dag", agents: agentsOf(at), steps: stepsOf(at, true) },
    ...{ options: { maxConcurrency: 1 }, errorHandling: { onFailure: "continue" } },
  });
  expect(endsOf(end, rows)).toEqual(expectedEnds(rows));
  expect(existsSync(join(project.root, "made2"))).toBe(false);
  expect(project.git("status", "--porcelain")).toBe("");
});
