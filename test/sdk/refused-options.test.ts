import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import * as library from "../../src/index.ts";
import { TroupeError } from "../../src/index.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "troupe-options-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

interface Given {
  readonly [name: string]: unknown;
}

const agent = (name: string) => ({ name, task: "work", run: () => "DONE: it" });
const content = {
  pattern: "pipeline",
  agents: [{ id: "a", backend: "script", script: [{ say: "DONE: x" }] }],
};
const built = () => library.workflow("w").agent("a", {}).step("s", { agent: "a" });
const gate = () => library.workflow("w").steps({ gate: { type: "transform", transform: "1" } });

/** How a function is called with valid options: what comes before them, and the least of them. */
interface Call {
  readonly before: readonly unknown[];
  readonly options: Given;
}

// One row for each function that takes options; below, a function without a row must have a reason for it.
const CALLS: { readonly [name: string]: Call } = {
  AgentExecutor: { before: [], options: { model: "anthropic/x" } },
  auction: { before: [], options: { task: "t", bidders: [agent("a")] } },
  cascade: { before: [], options: { tiers: [{ agent: agent("a") }] } },
  collab: { before: [], options: { agent: agent("a") } },
  compareRuns: { before: ["a", "b"], options: {} },
  consensus: { before: [], options: { proposal: "p", voters: [agent("a")] } },
  createMachine: { before: [], options: {} },
  dag: { before: [], options: { nodes: [{ id: "a", ...agent("a") }] } },
  debate: { before: [], options: { topic: "t", debaters: [agent("a"), agent("b")] } },
  fanOut: { before: [[agent("a")]], options: {} },
  forkRun: { before: ["run_x", { at: "a" }], options: {} },
  gossip: { before: [], options: { goal: "g", peers: [agent("a"), agent("b")] } },
  handoff: {
    before: [],
    options: { entryPoint: agent("a"), routes: [{ agent: agent("b"), condition: "c" }] },
  },
  hierarchical: { before: [], options: { agents: [{ ...agent("a"), id: "a", role: "lead" }] } },
  hubAndSpoke: { before: [], options: { hub: agent("a"), workers: [agent("b")] } },
  iterate: { before: [], options: { agent: agent("a"), count: 1 } },
  loadWorkflow: { before: ["w.yaml"], options: {} },
  mesh: { before: [], options: { goal: "g", agents: [agent("a"), agent("b")] } },
  pipeline: { before: [[agent("a")]], options: {} },
  pool: { before: [], options: { goal: "g", agent: agent("a") } },
  readStepResult: { before: ["run_x"], options: {} },
  rerunRun: { before: ["run_x", { kind: "all" }], options: {} },
  resumeRun: { before: ["run_x"], options: {} },
  runWorkflow: { before: [content, "t"], options: {} },
  team: { before: [], options: { goal: "g", leader: { name: "l" } } },
};

// These take no options: a value, a declaration that is checked where it is used, or a name.
const WITHOUT_OPTIONS = [
  ...["TroupeError", "toErrorReport", "toWireEvent", "readIterativeResult", "workflow"],
  ...["defineBackend", "defineGuard", "defineModel", "definePattern"],
  ...["defineStepType", "defineTool"],
];

const METHODS: { readonly [name: string]: (options: unknown) => unknown } = {
  "BuiltTeam.run": (options) => Reflect.apply(built().run, undefined, ["t", options]),
  "BuiltTeam.build": (options) => Reflect.apply(built().build, undefined, [options]),
  "BuiltSteps.run": (options) => Reflect.apply(gate().run, undefined, ["t", options]),
  "BuiltSteps.build": (options) => Reflect.apply(gate().build, undefined, [options]),
};

const functions = new Map<string, unknown>(Object.entries(library));
const rows: readonly (readonly [string, Given, (options: unknown) => unknown])[] = [
  ...Object.entries(CALLS).map(
    ([name, { before, options }]) =>
      [name, options, (given: unknown) => call(name, [...before, given])] as const,
  ),
  ...Object.entries(METHODS).map(([name, run]) => [name, {}, run] as const),
];

function call(name: string, given: readonly unknown[]): unknown {
  const called = functions.get(name);
  if (typeof called !== "function") throw new Error(`there is no ${name}`);
  if (name === "AgentExecutor") return Reflect.construct(called, given);
  return Reflect.apply(called, undefined, given);
}

/** What a call was refused with, at once or by what it returns; undefined when it was not. */
async function refusalOf(run: () => unknown): Promise<unknown> {
  try {
    const given = await run();
    if (typeof given === "object" && given !== null && "result" in given) {
      if ("cancel" in given && typeof given.cancel === "function")
        Reflect.apply(given.cancel, given, []).catch(() => {});
      await given.result;
    }
    return undefined;
  } catch (error) {
    return error;
  }
}

function codeOf(error: unknown): string {
  if (error instanceof TroupeError) return error.code;
  return `no TroupeError: ${String(error)}`;
}

test("every function of the library is in this table, or takes no options [SDK-8.unknown]", () => {
  const exported = [...functions].flatMap(([name, value]) =>
    typeof value === "function" ? [name] : [],
  );
  expect(exported.toSorted()).toEqual([...Object.keys(CALLS), ...WITHOUT_OPTIONS].toSorted());
});

test.each(rows)(
  "%s refuses an option that it does not know, with its name and the nearest [SDK-8.unknown]",
  async (_name, options, run) => {
    const unknown = await refusalOf(() => run({ ...options, storee: "memory" }));
    expect(unknown).toMatchObject({
      code: "SDK_OPTION_UNKNOWN",
      message: expect.stringContaining('"storee"'),
      hint: expect.stringContaining('did you mean "store"?'),
    });
  },
);

const WRONG: readonly unknown[] = [
  null,
  7,
  "x",
  true,
  [],
  [null],
  { nonsense: 1 },
  () => 1,
  Symbol("s"),
];

const REFUSALS = [
  "SDK_OPTION_INVALID",
  "SDK_OPTION_UNKNOWN",
  "SDK_OPTION_UNUSED",
  "VALUE_NOT_JSON",
  "RUN_DIRECTORY_NOT_FOUND",
];

/** A value that leads back to itself. */
function cyclic(): unknown {
  const value: { [key: string]: unknown } = {};
  value["self"] = value;
  return value;
}

test.each(rows)(
  "%s refuses options of every wrong kind with a code, never with a raw error [SDK-8.kinds]",
  async (called, options, run) => {
    // A machine starts nothing, so that a value that fits by chance may be taken.
    const isTaken = (code: string) =>
      called === "createMachine" && code === "no TroupeError: undefined";
    for (const wrong of [null, 7, "x", [], cyclic(), () => 1]) {
      const error = await refusalOf(() => run(wrong));
      expect([wrong, codeOf(error)]).toEqual([wrong, expect.stringMatching(/^SDK_OPTION_/)]);
    }
    const known = knownOptions(await refusalOf(() => run({ ...options, zzzzzzzz: 1 })));
    expect(known).toContain("cwd");
    // What fits by chance starts nothing: a directory beside a machine has no effect, which is looked at last.
    const machine = await library.createMachine({ cwd, store: "memory" });
    const idle = known.includes("troupe") ? { troupe: machine, cwd } : {};
    for (const name of known) {
      const codes = new Set<string>();
      for (const wrong of [...WRONG, cyclic()])
        codes.add(codeOf(await refusalOf(() => run({ ...options, ...idle, [name]: wrong }))));
      expect([
        name,
        [...codes].filter((code) => !REFUSALS.includes(code) && !isTaken(code)),
      ]).toEqual([...[name, []]]);
      expect([name, codes.has("SDK_OPTION_INVALID") || codes.has("VALUE_NOT_JSON")]).toEqual([
        ...[name, true],
      ]);
    }
  },
);

/** The names of all options, as the refusal of an unknown one holds them. */
function knownOptions(refusal: unknown): readonly string[] {
  const details = refusal instanceof TroupeError ? refusal.details : undefined;
  if (typeof details !== "object" || details === null || !("known" in details)) return [];
  return Array.isArray(details.known) ? details.known.map(String) : [];
}

test.each([
  ["an argument that is missing", () => Reflect.apply(library.dag, undefined, [])],
  ["a list in place of tasks", () => Reflect.apply(library.fanOut, undefined, ["tasks"])],
  ["a task that is null", () => Reflect.apply(library.pipeline, undefined, [[null]])],
  ["a workflow that is none", () => Reflect.apply(library.runWorkflow, undefined, [undefined])],
  ["a workflow without a definition", () => Reflect.apply(library.runWorkflow, undefined, [{}])],
  ["a number as the task", () => Reflect.apply(library.runWorkflow, undefined, [content, 7])],
  ["a name that is none", () => Reflect.apply(library.workflow, undefined, [7])],
  ["a file that is none", () => Reflect.apply(library.loadWorkflow, undefined, [7])],
  ["a result that is none", () => Reflect.apply(library.readIterativeResult, undefined, [null])],
  ["a choice that is none", () => Reflect.apply(library.rerunRun, undefined, ["r", { kind: "x" }])],
])("%s is refused with a code [SDK-8.kinds]", async (_title, run) => {
  expect(codeOf(await refusalOf(run))).toBe("SDK_OPTION_INVALID");
});

test("a workflow that leads back to itself is refused, from a content and from the builder [SDK-8.cyclic]", async () => {
  const looped = { pattern: "pipeline", agents: [{ id: "a", settings: cyclic() }] };
  expect(
    codeOf(await refusalOf(() => Reflect.apply(library.runWorkflow, undefined, [looped, "t"]))),
  ).toBe("VALUE_NOT_JSON");
  const steps = Reflect.apply(library.workflow("w").steps, undefined, [{ s: cyclic() }]);
  expect(codeOf(await refusalOf(() => steps.toFile()))).toBe("VALUE_NOT_JSON");
  expect(codeOf(await refusalOf(() => steps.run("x", { cwd, store: "memory" })))).toBe(
    "VALUE_NOT_JSON",
  );
});

const here = () => ({ cwd, store: "memory" }) as const;

const UNUSED: readonly (readonly [string, (given: ReturnType<typeof here>) => unknown])[] = [
  ["run", (given) => library.fanOut([{ task: "x", run: () => "", command: "true" }], given)],
  ["args", (given) => library.fanOut([{ task: "x", args: ["a"] }], given)],
  ["cli", (given) => library.fanOut([agent("a")], { ...given, backend: "script", cli: "claude" })],
  ["trajectory", (given) => library.fanOut([agent("a")], { ...given, trajectory: {} })],
  [
    "cwd",
    async (given) =>
      library.fanOut([agent("a")], { cwd, troupe: await library.createMachine(given) }),
  ],
  ["scorer", (given) => library.runWorkflow(content, "t", { ...given, scorer: () => 1 })],
];

test.each(UNUSED)(
  "an option without effect is refused: %s [SDK-8.unused]",
  async (_option, run) => {
    expect(codeOf(await refusalOf(() => run(here())))).toBe("SDK_OPTION_UNUSED");
  },
);
