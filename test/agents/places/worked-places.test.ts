import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject, runPlaced } from "./placed-run.ts";
import { agentsOf, endsOf, expectedEnds, fill, HOLDING, stepsOf, TOLD } from "./worked-places.ts";

test("checks and values of git are those of the worktree where the turn worked, also for a step that looks at it [AGT-16]", async () => {
  const project = createProject();
  fill(project);
  const wanted = ["file", "diff-in-check", "review"];
  const rows = [...HOLDING, ...TOLD].filter(({ id }) => wanted.includes(id));
  const at = { isolation: "worktree", cwd: undefined, rows } as const;
  const end = await runPlaced(project, {
    ...{ pattern: "dag", agents: agentsOf(at), steps: stepsOf(at, true) },
    ...{ options: { maxConcurrency: 1 }, errorHandling: { onFailure: "continue" } },
  });
  expect(endsOf(end, rows)).toEqual(expectedEnds(rows));
  expect(existsSync(join(project.root, "made2"))).toBe(false);
  expect(project.git("status", "--porcelain")).toBe("");
});
