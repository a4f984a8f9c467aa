import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { resumeOnMachine } from "../../../src/app/run/resume-run.ts";
import { strideOf } from "../../cases.ts";
import {
  createProject,
  type PlacedProject,
  type PlacedRun,
  resumePlaced,
  runPlaced,
} from "./placed-run.ts";

// What can happen to the worktree of an agent, in every kind of workflow, at every moment. Whatever it is, what others
// have done is kept and done once, and the run says truthfully how it ended.

const LOST = "AGENT_WORKTREE_FAILED";

/** What happens to a worktree: a shell command that knows $ROOT and $TREE. */
interface Trigger {
  readonly command: string;
  /** Code with which the next step of the agent fails; absent: it can go on. */
  readonly fails?: string;
  /** What the warning at the end says; absent: there is none. */
  readonly warns?: string;
  /** Where the work is at the end. */
  readonly work: "lost" | "on its branch" | "in its directory";
}

const TRIGGERS: { readonly [name: string]: Trigger } = {
  "git worktree remove --force": {
    command: 'git -C "$ROOT" worktree remove --force "$TREE"',
    ...{ fails: LOST, warns: "is gone", work: "lost" },
  },
  "its directory is removed": {
    command: 'rm -rf "$TREE"',
    ...{ fails: LOST, warns: "is gone", work: "lost" },
  },
  "a file takes the place of its directory": {
    command: 'rm -rf "$TREE"; touch "$TREE"',
    ...{ fails: LOST, warns: "stays as it is", work: "lost" },
  },
  "its repository forgets it": {
    command: 'rm -rf "$ROOT"/.git/worktrees/*',
    ...{ fails: LOST, warns: "stays as it is", work: "in its directory" },
  },
  "its index is removed": {
    command: 'rm "$ROOT"/.git/worktrees/*/index',
    ...{ fails: LOST, warns: "stays as it is", work: "in its directory" },
  },
  "its branch is deleted": {
    command: `git -C "$ROOT" update-ref -d "$(git -C "$ROOT" for-each-ref --format='%(refname)' refs/heads/troupe)"`,
    work: "on its branch",
  },
  "a lock of its index is left": {
    command: 'for each in "$ROOT"/.git/worktrees/*; do touch "$each/index.lock"; done',
    ...{ warns: "index.lock", work: "on its branch" },
  },
  "its files get a filter": {
    command: 'echo "*.txt filter=evil" > "$TREE/.gitattributes"',
    ...{ warns: "stays as it is.*filter", work: "in its directory" },
  },
  "HEAD of the main tree moves": {
    command: 'git -C "$ROOT" -c user.name=u -c user.email=u@x commit --allow-empty -qm moved',
    work: "on its branch",
  },
};

const MOMENTS = ["during a turn", "between turns", "at the end", "at the resume"] as const;
type Moment = (typeof MOMENTS)[number];

interface Agent {
  readonly id: string;
  readonly [key: string]: unknown;
}

/** How steps that follow each other are written in a kind of workflow. */
type Line = readonly { readonly id: string; readonly agent: string }[];
const SHAPES: { readonly [name: string]: (line: Line, agents: readonly Agent[]) => object } = {
  dag: (line, agents) => ({
    pattern: "dag",
    agents,
    steps: line.map((step, index) => {
      const before = line[index - 1];
      return { ...step, prompt: "go", dependsOn: before === undefined ? [] : [before.id] };
    }),
  }),
  pipeline: (line, agents) => ({
    pattern: "pipeline",
    agents,
    steps: line.map((step) => ({ ...step, prompt: "go" })),
  }),
  "step workflow": (line, agents) => ({
    id: "places",
    agents: Object.fromEntries(agents.map(({ id, ...agent }) => [id, agent])),
    steps: line.map((step, index) => {
      const after = line[index + 1];
      const next = after === undefined ? {} : { next: after.id };
      return { ...step, type: "agent", prompt: "go", ...next };
    }),
  }),
};

const all = Object.keys(SHAPES).flatMap((shape) =>
  Object.keys(TRIGGERS).flatMap((trigger) =>
    MOMENTS.map((moment) => [trigger, shape, moment] as const),
  ),
);
// One of each trigger a day at least: the numbers of shapes, moments and strides have no factor in common.
const stride = strideOf(11);

describe("whatever happens to a worktree", () => {
  test.each(all.filter((_, index) => index % stride === 0))(
    "%s, in a %s, %s: the run keeps what others have done and says how it ended [AGT-17.step, ENG-21.alone, ENG-21.commit]",
    async (name, shape, moment) => {
      const trigger = TRIGGERS[name];
      const write = SHAPES[shape];
      if (trigger === undefined || write === undefined) throw new Error(name);
      const project = createProject();
      project.git("config", "filter.evil.clean", "touch ran-filter");
      const end = await playLine(project, trigger, { write, moment });
      const goesOn = moment === "between turns" || moment === "at the resume";
      const fails = (goesOn || moment === "during a turn") && trigger.fails !== undefined;
      expect(end.outcome).toBe(fails ? "failed" : "completed");
      expect(failedCodes(end)).toEqual(fails ? [trigger.fails] : []);
      expect(end.all("run-ended")).toHaveLength(1);
      const warnings = warningsOf(end);
      if (trigger.warns === undefined) expect(warnings).toEqual([]);
      else expect(warnings.join("\n")).toMatch(new RegExp(`worktree of ann .*${trigger.warns}`));
      expect(workOf(project, end.id)).toBe(trigger.work);
      await expectOnce(project, end.id);
    },
  );
});

/** The neighbour works, then ann in her worktree, and once the trigger strikes. */
async function playLine(
  project: PlacedProject,
  trigger: Trigger,
  {
    write,
    moment,
  }: { readonly write: (line: Line, agents: readonly Agent[]) => object; readonly moment: Moment },
): Promise<PlacedRun> {
  const strike = withPlaces(project, trigger.command);
  const work = "echo work >> work.txt";
  const agents = [
    { id: "neighbour", backend: "command", command: ran(project) },
    {
      ...{ id: "ann", backend: "command", isolation: "worktree" },
      command: moment === "during a turn" ? `${work}; ${strike}` : work,
    },
    { id: "breaker", backend: "command", command: strike },
  ];
  const step = (id: string, agent: string) => ({ id, agent });
  const first = [step("n", "neighbour"), step("a1", "ann")];
  const line = {
    "during a turn": first,
    "between turns": [...first, step("x", "breaker"), step("a2", "ann")],
    "at the end": [...first, step("x", "breaker")],
    "at the resume": [...first, step("a2", "ann")],
  }[moment];
  const workflow = write(line, agents);
  if (moment !== "at the resume") return runPlaced(project, workflow);
  const begun = await runPlaced(project, workflow, {
    onStart: (run) => {
      void (async () => {
        let completed = 0;
        for await (const event of run.events) {
          if (event.type === "step-completed") completed += 1;
          if (completed === 2) return run.suspend();
        }
      })();
    },
  });
  expect(begun.outcome).toBe("suspended");
  execFileSync("sh", ["-c", strike]);
  return resumePlaced(project, begun.id);
}

function withPlaces({ root }: PlacedProject, command: string): string {
  return `ROOT=${root}; TREE=$(echo ${root}/.troupe/runs/run_*/worktrees/ann); ${command}`;
}

/** Says outside of all trees that a step was done. */
function ran({ root }: PlacedProject): string {
  return `echo ran >> ${join(dirname(root), "ran.txt")}; echo "DONE: ok"`;
}

function failedCodes(end: PlacedRun): readonly string[] {
  return end.all("step-failed").map(({ error }) => error.code);
}

function warningsOf(end: PlacedRun): readonly string[] {
  return end.all("log").flatMap(({ level, text }) => (level === "warning" ? [text] : []));
}

function workOf({ root, git }: PlacedProject, run: string): Trigger["work"] {
  if (existsSync(join(root, ".troupe/runs", run, "worktrees/ann/work.txt"))) {
    const branches = git("for-each-ref", "--format=%(refname:short)", "refs/heads/troupe");
    const isCommitted =
      branches !== "" && git("ls-tree", "--name-only", branches).split("\n").includes("work.txt");
    return isCommitted ? "on its branch" : "in its directory";
  }
  return "lost";
}

/** Two resumes of a run that is over repeat nothing. */
async function expectOnce({ machine, root }: PlacedProject, run: string): Promise<void> {
  for (let time = 0; time < 2; time += 1)
    expect(await resumeOnMachine(machine, run)).toMatchObject({ status: "over" });
  expect(readFileSync(join(dirname(root), "ran.txt"), "utf8")).toBe("ran\n");
}

test.each([
  [
    "a branch has the name of the first part of its branch",
    'git -C "$ROOT" branch troupe',
    "AGENT_WORKTREE_IMPOSSIBLE",
  ],
  [
    "a directory is left where it would be",
    'RUN=$(ls "$ROOT/.troupe/runs"); mkdir -p "$ROOT/.troupe/runs/$RUN/worktrees/ann"; touch "$ROOT/.troupe/runs/$RUN/worktrees/ann/mine"',
    LOST,
  ],
  [
    "its repository cannot be written",
    'rm -rf "$ROOT/.git/worktrees"; touch "$ROOT/.git/worktrees"',
    LOST,
  ],
])(
  "a worktree that cannot be made because %s fails the step of its agent, not the run [AGT-17.step]",
  async (_, command, code) => {
    const project = createProject();
    const agents = [
      {
        id: "neighbour",
        backend: "command",
        command: `${ran(project)}; ${withPlaces(project, command)}`,
      },
      { id: "ann", backend: "command", isolation: "worktree", command: "echo work > work.txt" },
      { id: "last", backend: "command", command: "echo last" },
    ];
    const end = await runPlaced(project, {
      ...{ pattern: "dag", agents, errorHandling: { onFailure: "continue" } },
      steps: [
        { id: "n", agent: "neighbour", prompt: "go" },
        { id: "a", agent: "ann", prompt: "go", dependsOn: ["n"] },
        { id: "l", agent: "last", prompt: "go", dependsOn: ["n"] },
      ],
    });
    expect(failedCodes(end)).toEqual([code]);
    expect(end.all("step-completed").map(({ step }) => step)).toEqual(["n", "l"]);
    expect(end.all("run-ended")).toHaveLength(1);
    await expectOnce(project, end.id);
  },
);

test("a candidate whose worktree is gone is out, and the others go on [AGT-17.step, ENG-21.alone]", async () => {
  const project = createProject();
  const work = "echo work > work.txt";
  const end = await runPlaced(project, {
    pattern: "competitive",
    agents: [
      {
        id: "ann",
        backend: "command",
        command: `${work}; ${withPlaces(project, 'rm -rf "$TREE"')}; echo "DONE: ok"`,
      },
      { id: "bob", backend: "command", command: `${work}; ${ran(project)}` },
    ],
    competitive: { verify: "test -e work.txt" },
  });
  expect([end.outcome, warningsOf(end).join("\n")]).toEqual([
    "completed",
    expect.stringMatching(/worktree of ann is gone/),
  ]);
  expect(project.git("show", `troupe/${end.id}/bob:work.txt`)).toBe("work");
  await expectOnce(project, end.id);
});

test("a series whose worktree is gone fails, and its run says so [AGT-17.step]", async () => {
  const project = createProject();
  const strike = withPlaces(project, 'rm -rf "$TREE"');
  const end = await runPlaced(project, {
    pattern: "iterate",
    agents: [
      {
        id: "ann",
        backend: "command",
        isolation: "worktree",
        command: `${ran(project)}; ${strike}`,
      },
    ],
    iterate: { count: 2 },
  });
  expect(end.outcome).toBe("failed");
  expect(warningsOf(end).join("\n")).toMatch(/worktree of ann is gone/);
  await expectOnce(project, end.id);
});

test("an agent of a kickoff whose worktree another one removes leaves a warning, not a failed run [ENG-21.alone]", async () => {
  const project = createProject();
  const say = (text: string, run: string) => [{ do: [{ run }], say: text }];
  const end = await runPlaced(project, {
    ...{ name: "places", context: null },
    agents: {
      ann: {
        ...{ backend: "script", isolation: "worktree" },
        script: say("over to @bob", "echo work > work.txt"),
      },
      bob: {
        backend: "script",
        script: say("done", `${ran(project)}; ${withPlaces(project, 'rm -rf "$TREE"')}`),
      },
    },
    kickoff: "go @ann",
  });
  expect(end.outcome).toBe("completed");
  expect(warningsOf(end).join("\n")).toMatch(/worktree of ann is gone/);
  await expectOnce(project, end.id);
});

test.each([
  ["the branch troupe", "troupe", "the branch troupe is there"],
  ["a branch below it that has its name", "troupe/RUN", "the branch troupe/run_\\w+ is there"],
])("%s is found before the run starts [AGT-17.clashes]", async (_, branch, problem) => {
  const project = createProject();
  const workflow = {
    pattern: "dag",
    agents: [{ id: "ann", backend: "command", isolation: "worktree", command: "echo hi" }],
    steps: [{ id: "a", agent: "ann", prompt: "go" }],
  };
  const machine = {
    ...project.machine,
    newRunId: () => {
      const id = project.machine.newRunId();
      project.git("branch", branch.replace("RUN", id));
      return id;
    },
  };
  await expect(runPlaced({ ...project, machine }, workflow)).rejects.toMatchObject({
    code: "BACKEND_PREFLIGHT_FAILED",
    message: expect.stringMatching(new RegExp(problem)),
  });
});

test("a directory that was left at the place of a worktree is found before the run starts [AGT-17.clashes]", async () => {
  const project = createProject();
  const machine = {
    ...project.machine,
    newRunId: () => {
      const id = project.machine.newRunId();
      const path = join(project.root, ".troupe/runs", id, "worktrees/ann");
      mkdirSync(path, { recursive: true, mode: 0o700 });
      writeFileSync(join(path, "mine"), "left\n");
      return id;
    },
  };
  const run = runPlaced(
    { ...project, machine },
    {
      pattern: "dag",
      agents: [{ id: "ann", backend: "command", isolation: "worktree", command: "echo hi" }],
      steps: [{ id: "a", agent: "ann", prompt: "go" }],
    },
  );
  await expect(run).rejects.toMatchObject({
    code: "BACKEND_PREFLIGHT_FAILED",
    message: expect.stringContaining("worktrees/ann is there already"),
  });
});
