import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createProject, resumePlaced, runPlaced } from "./placed-run.ts";

const worktree = (id: string, ...script: readonly object[]) => ({
  id,
  backend: "script",
  isolation: "worktree",
  script,
});
const write = (path: string, content: string) => ({ write: { path, content } });
const dag = (agents: readonly { readonly id: string }[]) => ({
  pattern: "dag",
  agents,
  steps: agents.map(({ id }) => ({ id: `do-${id}`, agent: id, prompt: "work" })),
});

describe("a worktree", () => {
  test("each agent works on its own branch from the commit that the run began with, and what it leaves is committed [AGT-13]", async () => {
    const project = createProject();
    const base = project.git("rev-parse", "HEAD");
    const end = await runPlaced(
      project,
      dag([
        worktree("one", { do: [write("src/a.txt", "one\n")], say: "DONE: ok" }),
        worktree("two", { do: [write("new.txt", "two\n")], say: "DONE: ok" }),
        worktree("idle", { say: "DONE: ok" }),
      ]),
    );
    expect(end.outcome).toBe("completed");
    // They work side by side: whoever comes first.
    const placed = end.all("agent-placed").map(({ agent, worktree: tree }) => [agent, tree?.base]);
    expect(placed.sort()).toEqual(["idle", "one", "two"].map((agent) => [agent, base]));
    expect(
      Object.fromEntries(end.all("place-settled").map(({ agent, files }) => [agent, files])),
    ).toEqual({
      one: 1,
      two: 1,
      idle: 0,
    });
    expect(readFileSync(join(project.root, "src/a.txt"), "utf8")).toBe("a\n");
    expect(project.git("show", `troupe/${end.id}/one:src/a.txt`)).toBe("one");
    expect(project.git("show", `troupe/${end.id}/two:new.txt`)).toBe("two");
    // The one who did nothing has left nothing.
    const branches = project.git("branch", "--format=%(refname:short)").split("\n").sort();
    expect(branches).toEqual(["main", `troupe/${end.id}/one`, `troupe/${end.id}/two`]);
    expect(project.git("status", "--porcelain")).toBe("");
  });

  test("an agent below the root works at the same place of its worktree, and is told what is not in it [AGT-13]", async () => {
    const project = createProject();
    project.write("src/a.txt", "changed by the user\n");
    const agent = worktree("one", { do: [write("b.txt", "b\n")], say: "DONE: ok" });
    const end = await runPlaced(project, dag([{ ...agent, cwd: "src" }].map((each) => each)));
    const [placed] = end.all("agent-placed");
    expect(placed?.directory).toMatch(/worktrees\/one\/src$/);
    expect(placed?.warnings).toEqual(["changes that are not committed are not in it"]);
    expect(project.git("show", `troupe/${end.id}/one:src/b.txt`)).toBe("b");
  });

  test("a run that goes on finds the worktree as it was left [AGT-13]", async () => {
    const project = createProject();
    const workflow = {
      pattern: "pipeline",
      agents: [
        worktree(
          "one",
          {
            do: [
              write("first.txt", "1\n"),
              { run: "git add -A && git -c user.name=a -c user.email=a@b commit -qm first" },
            ],
            say: "DONE: ok",
          },
          { do: [write("second.txt", "2\n")], after: "50ms", say: "DONE: ok" },
        ),
      ],
      steps: [
        { id: "a", agent: "one", prompt: "first" },
        { id: "b", agent: "one", prompt: "second" },
      ],
    };
    const first = await runPlaced(project, workflow, {
      onUpdate: () => {},
      onStart: (run) => {
        void (async () => {
          for await (const event of run.events)
            if (event.type === "step-completed") return run.suspend();
        })();
      },
    });
    expect(first.outcome).toBe("suspended");
    expect(first.all("place-settled")).toEqual([]);
    const tree = first.all("agent-placed")[0]?.worktree?.path ?? "";
    expect(existsSync(join(tree, "first.txt"))).toBe(true);
    const second = await resumePlaced(project, first.id);
    expect(second.outcome).toBe("completed");
    expect(second.all("agent-placed")).toEqual([]);
    expect(second.all("place-settled").map(({ files }) => files)).toEqual([2]);
  });

  test.each([
    ["outside a repository", false, "it is in no git repository with a working tree"],
    ["without a commit", true, "its repository has no commit yet"],
  ])("is refused %s, before anything is done [AGT-13, AGT-14]", async (_, hasGit, reason) => {
    const project = createProject(hasGit);
    if (hasGit) {
      rmSync(join(project.root, ".git"), { recursive: true });
      project.git("init", "--quiet");
    }
    const run = runPlaced(project, dag([worktree("one", { say: "DONE: ok" })]));
    await expect(run).rejects.toMatchObject({
      code: "BACKEND_PREFLIGHT_FAILED",
      message: expect.stringContaining(reason),
    });
  });
});

test("an agent that reaches beyond its worktree is told of, and its work is not lost [AGT-13]", async () => {
  const project = createProject();
  const { root } = project;
  const end = await runPlaced(
    project,
    dag([
      worktree("one", {
        do: [
          {
            run: `echo x > ${root}/outside.txt; echo y >> src/a.txt; git stash -q; git stash apply -q`,
          },
          { run: "git switch -q -c mine && echo z > z.txt" },
        ],
        say: "DONE: ok",
      }),
    ]),
  );
  expect(end.outcome).toBe("completed");
  expect(end.all("place-breached")).toMatchObject([
    {
      agent: "one",
      failed: false,
      breaches: [
        { rule: "branch", path: "mine" },
        { rule: "stash", path: "refs/stash" },
        { rule: "outside", path: "outside.txt" },
      ],
    },
  ]);
  expect(project.git("show", `troupe/${end.id}/one:z.txt`)).toBe("z");
});
