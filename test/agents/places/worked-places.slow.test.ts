import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readRunDiff } from "../../../src/app/history/run-diff.ts";
import { builtInPatterns } from "../../../src/programs/patterns/registry.ts";
import { strideOf } from "../../cases.ts";
import { troupe } from "../../e2e/troupe-process.ts";
import { has } from "../../machine.ts";
import { createProject, type PlacedProject, type PlacedRun, runPlaced } from "./placed-run.ts";
import {
  agentsOf,
  endsOf,
  expectedEnds,
  FAILING,
  fill,
  HOLDING,
  type Isolation,
  type PlaceRow,
  stepsOf,
  TOLD,
} from "./worked-places.ts";

/** Patterns that are made of something else than steps, or whose failures are the point. */
const WITHOUT_STEPS = ["auction", "gossip", "iterate", "pool", "team"];
const BLOCKS: { readonly [pattern: string]: object } = {
  competitive: { competitive: { judge: "reviewer", worktrees: false } },
};

interface Shape {
  readonly shape: string;
  readonly rows: readonly PlaceRow[];
  run(project: PlacedProject, isolation: Isolation, cwd: string | undefined): Promise<PlacedRun>;
}

function ofPattern(pattern: string, rows: readonly PlaceRow[]): Shape {
  return {
    shape: pattern,
    rows,
    run: (project, isolation, cwd) => {
      const at = { isolation, cwd, rows };
      const [lead, ...others] = agentsOf(at);
      const hub = {
        ...lead,
        ...(pattern === "hub-spoke" || pattern === "supervisor" ? { role: "hub" } : {}),
      };
      const below =
        pattern === "hierarchical"
          ? others.map((other) => ({ ...other, reportsTo: "dev" }))
          : others;
      const mode =
        pattern === "dag" || pattern === "pipeline" ? {} : { coordination: { mode: "dag" } };
      const undone = pattern === "saga" ? { compensate: { command: "true" } } : {};
      return runPlaced(project, {
        ...{ pattern, agents: [hub, ...below], ...BLOCKS[pattern], ...mode },
        steps: stepsOf(at, pattern !== "pipeline").map((step) => ({ ...step, ...undone })),
        ...{ options: { maxConcurrency: 1 }, errorHandling: { onFailure: "continue" } },
      });
    },
  };
}

const flowRows = [...HOLDING.filter(({ id }) => id !== "diff-in-check"), ...FAILING];
const inFlow: Shape = {
  shape: "step workflow",
  rows: flowRows,
  run: (project, isolation, cwd) => {
    const at = { isolation, cwd, rows: flowRows };
    const steps = stepsOf(at, false).map((step, index) => {
      const next = flowRows[index + 1]?.id;
      return {
        ...{ type: "agent", ...step },
        ...(next === undefined ? {} : { next, on_error: next }),
      };
    });
    const file = inSnakeCase({ agents: agentsOf(at), steps });
    return runPlaced(project, { id: "flow", name: undefined, version: undefined, ...file });
  },
};

/** As step workflows have their keys. */
function inSnakeCase(value: object): object {
  const keys = /"(file|output|git|read)(Exists|Matches|Changed|Scope|Only)":/g;
  const toKey = (_: string, first: string, second: string) => `"${first}_${second.toLowerCase()}":`;
  return JSON.parse(JSON.stringify(value).replaceAll(keys, toKey));
}

const all = [...HOLDING, ...TOLD, ...FAILING];
const shapes: readonly Shape[] = [
  ofPattern("dag", all),
  inFlow,
  ofPattern("fan-out", all),
  ...builtInPatterns
    .map(({ name }) => name)
    .filter((name) => ![...WITHOUT_STEPS, "dag", "fan-out"].includes(name))
    .map((name) => ofPattern(name, [...HOLDING, ...TOLD])),
];
const isolations: readonly Isolation[] = ["worktree", "none", "sandbox"];
const cases = shapes.flatMap((shape) =>
  isolations.flatMap((isolation) =>
    [undefined, "sub"].map((cwd) => ({ ...shape, of: shape, isolation, cwd })),
  ),
);
/** Every day, two shapes that try all rows in a worktree, and a few of the others. */
const sample = cases.filter(
  (_, index) => index === 0 || index === 7 || index % strideOf(59) === 28,
);

const TITLE =
  "all that is said of a turn is said of where it worked: $shape, isolation $isolation, in $cwd [AGT-16]";
test.each(sample.filter(({ isolation }) => isolation !== "sandbox"))(TITLE, tryCase);
test.runIf(has("bubblewrap")).each(sample.filter(({ isolation }) => isolation === "sandbox"))(
  TITLE,
  tryCase,
);

async function tryCase({ of, isolation, cwd }: (typeof cases)[number]): Promise<void> {
  const project = createProject();
  fill(project);
  const end = await of.run(project, isolation, cwd);
  expect(endsOf(end, of.rows)).toEqual(expectedEnds(of.rows));
  const branch = end.all("step-completed").find(({ step }) => step === "branch")?.output;
  if (branch !== undefined)
    expect(branch.trim()).toBe(isolation === "worktree" ? `troupe/${end.id}/dev` : "main");
  if (isolation === "worktree") await expectApart(project, end, cwd);
}

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

const program = (id: string, script: string, others: object = {}) => ({
  ...{ id, backend: "command", command: ["sh", "-c", script], isolation: "worktree" },
  ...others,
});

describe("where a turn worked", () => {
  test("a fallback agent is told of, and checked in, a place of its own [AGT-16, WF-15]", async () => {
    const project = createProject();
    fill(project);
    // What the first one leaves would fail the second, were it judged in the same place.
    const first = "echo true > check.sh; touch bad; exit 3";
    const second = "cat > asked; touch made";
    const end = await runPlaced(project, {
      pattern: "dag",
      agents: [program("first", first), program("second", second)],
      steps: [
        {
          ...{ id: "work", agent: "first", fallback: ["second"], prompt: "on {{git.branch}}" },
          verify: [
            { command: "sh check.sh && test ! -e bad && test -e made && grep -q second asked" },
          ],
        },
      ],
    });
    expect(end.all("step-completed").map(({ step, agent }) => [step, agent])).toEqual([
      ["work", "second"],
    ]);
    expect(project.git("show", `troupe/${end.id}/first:check.sh`)).toBe(
      "false || test -f check.sh",
    );
  });

  test("those who look at a version are shown what its author changed in its worktree [AGT-16]", async () => {
    const project = createProject();
    const script = "echo told >> src/a.txt; echo 'DONE: see src/a.txt'";
    const look = "if grep -q '^+told'; then echo approve; else echo 'reject there is nothing'; fi";
    const end = await runPlaced(project, {
      pattern: "review-loop",
      agents: [
        program("author", script),
        program("critic", look, { isolation: "none", role: "reviewer" }),
      ],
      reviewLoop: { goal: "Write it", maxRounds: 1 },
    });
    expect(end.outcome).toBe("completed");
  });

  test("steps of a pattern inside of a step workflow are checked where their agents work [AGT-16]", async () => {
    const project = createProject();
    const end = await runPlaced(project, {
      ...{ id: "flow", name: undefined, version: undefined },
      agents: { dev: program("dev", "touch made", { id: undefined }) },
      steps: [
        {
          ...{ id: "build", type: "pattern", pattern: "pipeline" },
          steps: [{ id: "make", agent: "dev", prompt: "go", verify: [{ file_exists: "made" }] }],
        },
      ],
    });
    expect(end.outcome).toBe("completed");
  });

  test("an iteration in a worktree is checked there, and told its branch [AGT-16]", async () => {
    const project = createProject();
    const dev = program("dev", "cat > asked; touch made", { task: "Work on {{git.branch}}" });
    const end = await runPlaced(project, {
      ...{ pattern: "iterate", agents: [dev] },
      iterate: {
        count: 1,
        verify: [
          { fileExists: "made" },
          { gitChanged: true },
          { command: "grep -q troupe/ asked" },
        ],
      },
    });
    expect(end.outcome).toBe("completed");
    expect(project.git("status", "--porcelain")).toBe("");
  });

  test("a run killed between a turn and its check judges the turn where it worked [AGT-16, ENG-2]", async () => {
    const project = createProject();
    fill(project);
    const killed = join(project.root, "..", "killed");
    const check = `test -e ${killed} || { touch ${killed}; kill -9 $PPID; sleep 60; }; grep -q ^a a.txt`;
    const file = {
      ...{ version: "1.0", name: "killed", pattern: "dag" },
      agents: [program("dev", "echo broken > a.txt")],
      steps: [{ id: "work", agent: "dev", prompt: "go", verify: [{ command: check }] }],
    };
    project.write("killed.json", JSON.stringify(file));
    const env = { HOME: join(project.root, "..", "home") };
    const first = await troupe(project.root, ["run", "killed.json"], env);
    expect(first.exitCode).toBeNull();
    const second = await troupe(project.root, ["resume", "@last"], env);
    expect(second.exitCode).toBe(1);
    expect(second.out).toContain("STEP_VERIFICATION_FAILED");
  });
});

/** Nothing of the work is in the project, all of it is on the branch, and is counted and shown as such. */
async function expectApart(project: PlacedProject, end: PlacedRun, cwd = "."): Promise<void> {
  expect(project.git("status", "--porcelain")).toBe("");
  expect(existsSync(join(project.root, cwd, "made1"))).toBe(false);
  const branch = `troupe/${end.id}/dev`;
  const changed = project.git("diff", "--name-only", "main", branch).split("\n");
  const settled = end.all("place-settled").find(({ agent }) => agent === "dev");
  expect(settled?.files).toBe(changed.length);
  const diff = await readRunDiff(project.machine, end.id);
  const shown = diff.files.filter((file) => file.branch === branch).map(({ path }) => path);
  expect(shown.sort()).toEqual(changed.sort());
  expect(diff.files.every((file) => file.branch !== undefined)).toBe(true);
}
