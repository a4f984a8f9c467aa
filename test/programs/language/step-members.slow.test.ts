import { describe, expect, test } from "vitest";
import type { PatternDefinition, StepsDefinition } from "../../../src/contracts/definition.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { STEP_PATHS } from "../../../src/programs/language/pattern-names.ts";
import { loadStepTypes } from "../../../src/programs/steps/registry.ts";
import {
  runStepsInMemory,
  runWorkflowInMemory,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { load } from "../../workflows/load-options.ts";
import { loadSteps } from "../../workflows/steps/load-steps.ts";

const stepTypes = await loadStepTypes();

/** Members of one end of a step. What a condition cannot be compared with stands as the text of the condition. */
interface End {
  readonly facts: { readonly [path: string]: Json };
  readonly error?: { readonly code: string; readonly message: RegExp; readonly report: RegExp };
}

const ok = ["sh", "-c", "echo out; echo aside >&2"];
const bad = ["sh", "-c", "echo told; echo 'AssertionError: 6 is not 7' >&2; exit 3"];
const shellError = {
  code: "STEP_SHELL_FAILED",
  message: /ended with exit 3/,
  report: /^exit 3: AssertionError: 6 is not 7/,
};
const none = { exitCode: null, stdout: null, stderr: null };
const nothing = { output: "", text: "", outcome: "", attempts: 0, ...none };
const printed = { stdout: "told", stderr: "AssertionError: 6 is not 7", exitCode: 3 };

const ENDS: { readonly [step: string]: End } = {
  ok: {
    facts: {
      ...{ status: "completed", output: "out", text: "out", outcome: "exit", attempts: 1 },
      ...{ exitCode: 0, stdout: "out", stderr: "aside" },
    },
  },
  bad: {
    facts: {
      ...{ status: "failed", output: "told", text: "told", outcome: "STEP_SHELL_FAILED" },
      ...{ attempts: 1, ...printed },
    },
    error: shellError,
  },
  allowed: {
    facts: {
      ...{ status: "completed", output: "told", text: "told", outcome: "exit 3", attempts: 1 },
      ...printed,
    },
    error: shellError,
  },
  says: {
    facts: { status: "completed", output: "words", text: "words", attempts: 1, ...none },
  },
  lost: {
    facts: { status: "failed", attempts: 1, outcome: "BACKEND_FUNCTION_FAILED", ...none },
    error: { code: "BACKEND_FUNCTION_FAILED", message: /no luck/, report: /no luck/ },
  },
  passed: { facts: { ...nothing, status: "skipped" } },
  held: { facts: { ...nothing, status: "blocked" } },
};

/** All that a text prints and a condition compares, of the steps that a form has. */
function cellsOf(steps: readonly string[]): readonly Cell[] {
  return steps.flatMap((step) => {
    const end = ENDS[step];
    if (end === undefined) throw new Error(`no end of ${step}`);
    const at = (path: string) => `steps.${step}.${path}`;
    const { facts, error } = end;
    const plain = Object.entries(facts).map(([path, value]) => ({
      path: at(path),
      text: value === null ? /^$/ : exactly(String(value)),
      holds: `${at(path)} == ${JSON.stringify(value)}`,
    }));
    const time = { path: at("durationMs"), text: /^\d+$/, holds: `${at("durationMs")} >= 0` };
    if (error === undefined) {
      const absent = ["error", "error.code", "error.message", "error.report"].map((path) => ({
        ...{ path: at(path), text: /^$/, holds: `${at(path)} == null && !exists(${at(path)})` },
      }));
      return [...plain, time, ...absent];
    }
    const { code, message, report } = error;
    return [
      ...[...plain, time],
      { path: at("error"), text: report, holds: `exists(${at("error")})` },
      { path: at("error.code"), text: exactly(code), holds: `${at("error.code")} == "${code}"` },
      { path: at("error.message"), text: message, holds: `length(${at("error.message")}) > 0` },
      { path: at("error.report"), text: report, holds: `length(${at("error.report")}) > 0` },
    ];
  });
}

interface Cell {
  readonly path: string;
  readonly text: RegExp;
  readonly holds: string;
}

const exactly = (text: string) => new RegExp(`^${text.replaceAll(/[.*+?^$()[\]{}|\\]/g, "\\$&")}$`);

/** A prompt that holds each path between lines of its own. */
const promptOf = (cells: readonly Cell[]) =>
  cells.map(({ path }) => `<${path}>\n{{${path}}}\n</>`).join("\n");

function askedIn(prompt: string, path: string): string {
  const start = prompt.indexOf(`<${path}>\n`) + path.length + 3;
  return withoutMarks(prompt.slice(start, prompt.indexOf("\n</>", start)));
}

/** Words of others stand in marks, which say where they come from. */
function withoutMarks(text: string): string {
  return text.replace(/^<data[^>]*>\n?/, "").replace(/\n?<\/data[^>]*>$/, "");
}

interface Form {
  readonly steps: readonly string[];
  /** Runs a workflow; resolves with what the step "asks" was asked, and which conditions held. */
  run(cells: readonly Cell[]): Promise<Answers>;
}

interface Answers {
  readonly prompt: string;
  readonly held: ReadonlySet<string>;
}

const condition = (index: number) => `when-${index}`;

function functionsFor(prompts: string[]) {
  return {
    asks: ({ prompt }: { readonly prompt: string }) => {
      prompts.push(prompt);
      return "asked";
    },
    says: () => "words",
    lost: () => {
      throw new Error("no luck");
    },
  };
}

const AGENTS = ["asks", "says", "lost"];
const agents = Object.fromEntries(
  AGENTS.map((id) => [id, { backend: "command", command: ["true"] }]),
);

/** Functions take the place of commands, which a file can name. */
function withFunctions<Definition extends PatternDefinition | StepsDefinition>(
  definition: Definition,
): Definition {
  return { ...definition, agents: AGENTS.map((id) => ({ id, backend: "function" })) };
}

async function inPattern(cells: readonly Cell[]): Promise<Answers> {
  const before = ["ok", "bad", "allowed", "says", "lost", "passed", "held"];
  const late = { dependsOn: before, runs: "always" };
  const { definition, problems } = load(
    JSON.stringify({
      ...{ name: "w", pattern: "dag", agents, errorHandling: { onFailure: "continue" } },
      steps: [
        { id: "ok", command: ok },
        { id: "bad", command: bad },
        { id: "allowed", command: bad, allowFailure: true },
        { id: "says", agent: "says", prompt: "x" },
        { id: "lost", agent: "lost", prompt: "x" },
        { id: "passed", command: ok, when: "false" },
        { id: "held", command: ok, dependsOn: ["bad"] },
        { id: "asks", agent: "asks", prompt: promptOf(cells), ...late },
        ...cells.map(({ holds }, index) => ({
          ...{ id: condition(index), agent: "says", prompt: "x", when: holds, ...late },
        })),
      ],
    }),
  );
  if (definition === undefined) throw new Error(JSON.stringify(problems));
  const prompts: string[] = [];
  const { state } = await runWorkflowInMemory(withFunctions(definition), {
    functions: functionsFor(prompts),
    task: "x",
  });
  return { prompt: prompts.join(), held: completedIn(state) };
}

interface StepOfFile {
  readonly id: string;
  readonly [key: string]: unknown;
}

/** Runs the steps one after the other, also after one that failed. */
async function runInTurn(steps: readonly StepOfFile[], prefix = ""): Promise<Answers> {
  const routed = steps.map((step, index) => {
    const next = steps[index + 1]?.id;
    return next === undefined ? step : { ...step, next, on_error: next };
  });
  const { definition, problems } = loadSteps(JSON.stringify({ id: "f", agents, steps: routed }), {
    stepTypes,
  });
  if (definition === undefined) throw new Error(JSON.stringify(problems));
  const prompts: string[] = [];
  const { state } = await runStepsInMemory(withFunctions(definition), {
    functions: functionsFor(prompts),
    input: "x",
  });
  return { prompt: prompts.join(), held: completedIn(state, prefix) };
}

function completedIn(
  { steps }: { readonly steps: { readonly byPath: Iterable<readonly [string, StepState]> } },
  prefix = "",
): ReadonlySet<string> {
  const done = [...steps.byPath].filter(([, { status }]) => status === "completed");
  return new Set(done.map(([path]) => path.replace(prefix, "")));
}

interface StepState {
  readonly status: string;
}

const inStepWorkflow = (cells: readonly Cell[]) =>
  runInTurn([
    { id: "ok", type: "shell", command: ok },
    { id: "bad", type: "shell", command: bad },
    { id: "passed", type: "shell", command: ok, when: "false" },
    { id: "says", type: "agent", agent: "says", prompt: "x" },
    { id: "lost", type: "agent", agent: "lost", prompt: "x" },
    { id: "asks", type: "agent", agent: "asks", prompt: promptOf(cells) },
    ...cells.map(({ holds }, index) => ({
      ...{ id: condition(index), type: "agent", agent: "says", prompt: "x", when: holds },
    })),
  ]);

const inPatternStep = (cells: readonly Cell[]) =>
  runInTurn(
    [
      {
        ...{ id: "team", type: "pattern", pattern: "dag" },
        steps: [
          { id: "says", agent: "says", prompt: "x" },
          { id: "passed", agent: "says", prompt: "x", when: "false" },
          { id: "asks", agent: "asks", prompt: promptOf(cells), depends_on: ["says", "passed"] },
          ...cells.map(({ holds }, index) => ({
            ...{ id: condition(index), agent: "says", prompt: "x", when: holds },
            depends_on: ["says", "passed"],
          })),
        ],
      },
    ],
    "team/",
  );

const FORMS: readonly (readonly [string, Form])[] = [
  [
    "a pattern workflow",
    { steps: ["ok", "bad", "allowed", "says", "lost", "passed", "held"], run: inPattern },
  ],
  ["a step workflow", { steps: ["ok", "bad", "says", "lost", "passed"], run: inStepWorkflow }],
  ["a pattern of a step workflow", { steps: ["says", "passed"], run: inPatternStep }],
];

describe.each(FORMS)("in %s", (_form, { steps, run }) => {
  const cells = cellsOf(steps);
  const answers = run(cells);

  test.each(cells)("$path has its value in a text [LANG-4.text]", async ({ path, text }) => {
    expect(askedIn((await answers).prompt, path)).toMatch(text);
  });

  test.each(cells.map((cell, index) => ({ ...cell, index })))(
    "$holds holds [LANG-4.condition]",
    async ({ index }) => {
      expect((await answers).held).toContain(condition(index));
    },
  );

  test("no member of a step is left out [LANG-3.members]", () => {
    const asked = new Set(cells.map(({ path }) => path.split(".").slice(2).join(".")));
    expect([...asked].sort()).toEqual([...STEP_PATHS].sort());
  });
});
