import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { planWorktree } from "../../../src/agents/places/worktree-place.ts";
import { createTestHost } from "../../host/survivors.ts";
import { createProject, type PlacedProject } from "./placed-run.ts";

function planIn(project: PlacedProject) {
  const host = createTestHost({ env: { PATH: process.env["PATH"], HOME: project.root } });
  onTestFinished(() => host.close());
  const runDirectory = join(project.root, ".troupe/runs/run_a");
  mkdirSync(runDirectory, { recursive: true, mode: 0o700 });
  const wish = { run: "run_a", agent: "coder", cwd: project.root, commit: undefined, runDirectory };
  return planWorktree(host, wish);
}

test("a branch that is there already, with work of somebody on it, is not taken over [AGT-13]", async () => {
  const project = createProject();
  project.git("branch", "troupe/run_a/coder");
  project.write("src/a.txt", "b\n");
  project.commit();
  await expect(planIn(project)).rejects.toMatchObject({
    code: "AGENT_WORKTREE_IMPOSSIBLE",
    message: expect.stringContaining("the branch troupe/run_a/coder is there already"),
  });
});

test("a branch that is where the worktree begins holds nobody's work and is used [AGT-13]", async () => {
  const project = createProject();
  project.git("branch", "troupe/run_a/coder");
  const base = project.git("rev-parse", "HEAD");
  expect(await planIn(project)).toMatchObject({
    worktree: { branch: "troupe/run_a/coder", base },
  });
});
