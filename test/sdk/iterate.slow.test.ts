import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { iterate, readIterativeResult } from "../../src/index.ts";
import { temporaryDirectory } from "../programs/temporary-directory.ts";

test("the library repeats a task by its own names, and reads what came of it [ITR-6, ITR-shape.ways, ITR-names.result]", async () => {
  const prompts: string[] = [];
  const run = iterate({
    cwd: temporaryDirectory(),
    store: "memory",
    agent: {
      name: "dev",
      task: "Polish {{it}}",
      run: ({ task }) => {
        prompts.push(task);
        return `DONE: round ${prompts.length}`;
      },
    },
    count: 2,
    continuationPrompt: "Go on",
    planContent: "plan",
    enableContextPassing: true,
    enableGitCommits: true,
  });
  const result = await run.result;
  expect(await readIterativeResult(result)).toMatchObject({
    ...{ iterationsAttempted: 2, iterationsSucceeded: 2, iterationsFailed: 0, stopReason: "count" },
    records: [{ iteration: 0, commitId: null, changedFiles: [] }, { summary: "round 2" }],
  });
  expect(prompts[0]).toMatch(/## Plan\nplan\n[\s\S]+Polish \{\{it\}\}$/);
  expect(prompts[1]).toMatch(/Summary: round 1\n[\s\S]+Go on$/);
  const endless = iterate({ store: "memory", agent: { task: "x", run: () => "ok" } });
  await expect(endless.result).rejects.toMatchObject({ code: "WORKFLOW_ROLE" });
});

test("enableGitCommits commits each iteration, and without it none is [ITR-names.option, ITR-file.keys]", async () => {
  const cwd = temporaryDirectory();
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", cwd, ...args], { encoding: "utf8" });
  git("init", "--quiet");
  const recordsOf = async (file: string, options: object) => {
    const run = () => {
      writeFileSync(join(cwd, file), "made\n");
      return "DONE: made";
    };
    const given = { cwd, store: "memory", agent: { task: "x", run }, count: 1 } as const;
    return (await readIterativeResult(await iterate({ ...given, ...options }).result)).records;
  };
  expect(await recordsOf("a", {})).toMatchObject([{ commitId: null, changedFiles: ["a"] }]);
  expect(git("rev-list", "--all")).toBe("");
  const [made] = await recordsOf("b", { enableGitCommits: true, allowDirty: true });
  expect(made?.commitId).toBe(git("rev-parse", "HEAD").trim());
  expect(git("ls-tree", "--name-only", "HEAD")).toBe("b\n");
});

test.each([
  [{ count: 2 }, 1_200_000],
  [{ maxIterations: 3 }, 1_800_000],
  [{ count: 2, durationMs: 7_200_000 }, undefined],
  [{ count: 2, timeoutMs: 5000 }, 5000],
  [{ count: 2, durationMs: 7_200_000, timeoutMs: 5000 }, 5000],
  [{ count: 2, budget: { wallClockMs: 7000 } }, undefined],
])(
  "a series of the library that has %j runs for %j ms at most [ITR-time.whole]",
  async (bounds, most) => {
    const agent = { task: "x", run: () => "DONE: ok" };
    // Anywhere but in the repository of Troupe: looking through all of it is most of the work.
    const run = iterate({ cwd: temporaryDirectory(), store: "memory", agent, ...bounds });
    await run.result;
    expect(run.state.run.limits.timeoutMs).toBe(most);
  },
);
