import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { WorkflowDefinition } from "../../contracts/definition.ts";
import type { OpenOperation } from "../../fold/state/operation-state.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import type { StepState } from "../../fold/state/step-state.ts";
import { isOver, waitingItems } from "../../fold/waiting.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import { sha256 } from "../../foundation/hash.ts";
import { isRecord } from "../../foundation/json.ts";
import { showPid } from "../../foundation/show-pid.ts";
import type { Machine } from "../machine/machine.ts";
import { assertOwnPlace } from "../runs/assert-own-place.ts";
import { assertOwnRun } from "../runs/assert-own-run.ts";
import { assertNotBelow } from "../runs/families/assert-not-below.ts";
import { readListing } from "../runs/run-heads.ts";
import { readState } from "../runs/run-lookup.ts";
import { programOf } from "../workflow/plugins/assert-code.ts";
import { codeOf } from "../workflow/plugins/code-of.ts";
import { openEnvironments } from "../workflow/sealed-environment.ts";
import { shapeOf } from "../workflow/shapes/registry.ts";
import { readRecipe } from "../workflow/shapes/run-recipe.ts";
import type { OrderedStep, WorkflowShape } from "../workflow/shapes/shape.ts";
import { assertConfiguration } from "./owner/run-configuration.ts";

/** What becomes of a step when its run goes on. */
export interface ExplainedStep {
  readonly step: string;
  readonly path: string;
  /**
   * `kept`: what it came to stands; `again`: it is attempted again; `waits`: a person has to decide first;
   * `starts`: it has not begun.
   */
  readonly plan: "kept" | "again" | "waits" | "starts";
  readonly why: string;
  /** Of a completed step. */
  readonly output: string | null;
}

/** What `resume` would do. */
export interface ResumePlan {
  readonly run: string;
  readonly verdict:
    | { readonly status: "goes-on" }
    | { readonly status: "over"; readonly outcome: string }
    | { readonly status: "impossible"; readonly reason: string };
  readonly steps: readonly ExplainedStep[];
  readonly file: ComparedFile;
}

/** The workflow file now, beside the one that the run was started with and goes on with. */
export interface ComparedFile {
  readonly name: string | null;
  /** `none`: the run was started without a file; `unknown`: its content was not recorded. */
  readonly status: "same" | "changed" | "missing" | "unknown" | "none";
}

const MAX_FILE_BYTES = 1_048_576;

/** Explains how a run would go on, without owning it or starting anything. Raises RUN_NOT_FOUND, STORE_* errors. */
export async function explainResume(machine: Machine, run: string): Promise<ResumePlan> {
  const state = readState(machine.store, run);
  const known = await readWorkflow(machine, state);
  const obstacle =
    "problem" in known ? known.problem : await findObstacle(machine, state, known.definition);
  const declared = "problem" in known ? [] : known.shape.ordered(known.definition);
  return {
    run,
    verdict: judge(state, obstacle),
    steps: explainSteps(state, declared),
    file: compareFile(state),
  };
}

/** A definition and its shape. */
interface ShapedWorkflow {
  readonly definition: WorkflowDefinition;
  readonly shape: WorkflowShape;
}

function judge(state: RunState, obstacle: string | undefined): ResumePlan["verdict"] {
  if (isOver(state) && state.phase.status === "ended")
    return { status: "over", outcome: state.phase.outcome };
  return obstacle === undefined
    ? { status: "goes-on" }
    : { status: "impossible", reason: obstacle };
}

async function readWorkflow(
  { store }: Machine,
  { run }: RunState,
): Promise<ShapedWorkflow | { readonly problem: string }> {
  const journal = store.open(run.id, "read");
  try {
    const { definition } = await readRecipe(run.id, journal.blob(run.definitionHash));
    return { definition, shape: await shapeOf(definition) };
  } catch (error) {
    return { problem: toErrorReport(error).message };
  } finally {
    journal.close();
  }
}

async function findObstacle(
  machine: Machine,
  state: RunState,
  definition: WorkflowDefinition,
): Promise<string | undefined> {
  const { run, lastSeq } = state;
  if (lastSeq === 0) return "it never began";
  const owner = readListing(machine.store, run.id, machine.isGone)?.owner;
  if (owner !== undefined) {
    const where = machine.whereIs(owner);
    return `process ${showPid({ pid: owner.pid, where })} carries it out`;
  }
  const missing = await findMissing(machine, state, definition);
  if (missing !== undefined) return missing;
  if (!existsSync(run.cwd)) return `its directory ${run.cwd} does not exist here`;
  return findRefusal(machine, state, definition);
}

/** The code that it needs and that is not here. */
async function findMissing(
  machine: Machine,
  { run }: RunState,
  definition: WorkflowDefinition,
): Promise<string | undefined> {
  try {
    await programOf(run, definition, await codeOf(machine));
    return undefined;
  } catch (error) {
    return toErrorReport(error).message;
  }
}

/** What resuming would refuse, as it would say it. */
async function findRefusal(
  machine: Machine,
  state: RunState,
  definition: WorkflowDefinition,
): Promise<string | undefined> {
  try {
    assertOwnRun(machine.store, state.run.id);
    assertOwnPlace(machine, state.run.id);
    assertNotBelow(machine.store, state);
    await openEnvironments(state.run.id, definition, machine.secrets);
    const { id: run, configuration: recorded, cwd } = state.run;
    if (recorded !== undefined)
      await assertConfiguration(machine, { run, recorded, definition, cwd }, false);
    return undefined;
  } catch (error) {
    return toErrorReport(error).message;
  }
}

/** The steps in the order of the definition, then those that only the journal knows. */
function explainSteps(state: RunState, declared: readonly OrderedStep[]): readonly ExplainedStep[] {
  const { byPath } = state.steps;
  const ids = new Set(declared.map(({ id }) => id));
  const others = [...byPath.values()].filter(({ path }) => !ids.has(path));
  return [
    ...declared.map((planned) => {
      const step = byPath.get(planned.id);
      return step === undefined ? notBegun(planned) : explainStep(step, state);
    }),
    ...others.map((step) => explainStep(step, state)),
  ];
}

function notBegun({ id, dependsOn, isRouted = false }: OrderedStep): ExplainedStep {
  const before = dependsOn.join(isRouted ? " or " : ", ");
  const after = before === "" ? "" : `, comes after ${before}`;
  return { step: id, path: id, plan: "starts", why: `has not begun${after}`, output: null };
}

function explainStep(step: StepState, state: RunState): ExplainedStep {
  const output = step.status === "completed" ? step.output : null;
  return { step: step.step, path: step.path, ...planOf(step, state), output };
}

type Plan = Pick<ExplainedStep, "plan" | "why">;

function planOf(step: StepState, state: RunState): Plan {
  switch (step.status) {
    case "completed":
      return { plan: "kept", why: `completed (${step.reason})` };
    case "skipped":
      return { plan: "kept", why: `skipped: ${step.reason}` };
    case "cancelled":
      return { plan: "kept", why: `cancelled: ${step.reason}` };
    case "blocked":
      return { plan: "kept", why: `blocked by ${step.by.join(", ")}` };
    case "failed":
      return isPaused(step, state)
        ? { plan: "again", why: `failed: ${step.error.message}; resuming tries it again` }
        : { plan: "kept", why: `failed: ${step.error.message}` };
    case "running":
    case "retrying":
      return planOfOpen(step, state);
  }
}

/** Whether the run stands still until somebody resumes it, because of this step. */
function isPaused(step: StepState, state: RunState): boolean {
  return [...state.inbox.values()].some((item) => {
    if (item.kind !== "approval" || item.step !== step.step) return false;
    const input = state.operations.open.get(item.op ?? "")?.input;
    return isRecord(input) && input["purpose"] === "pause";
  });
}

function planOfOpen(
  step: Extract<StepState, { readonly status: "running" | "retrying" }>,
  state: RunState,
): Plan {
  const item = waitingItems(state).find((each) => each.step === step.step);
  if (item !== undefined) return { plan: "waits", why: `${item.kind} ${item.id} is not decided` };
  if (step.status === "retrying")
    return { plan: "again", why: `attempt ${step.attempt} failed: ${step.error.message}` };
  const open = [...state.operations.open.values()].filter(({ op }) =>
    op.startsWith(`${step.path}/`),
  );
  const doing = open.map((operation) => describe(operation, state));
  const what = doing.length === 0 ? "it was between two operations" : doing.join(", ");
  return { plan: "again", why: `attempt ${step.attempt} was under way: ${what}` };
}

function describe({ kind, op, agent, turn }: OpenOperation, state: RunState): string {
  if (kind !== "turn") return op;
  if (turn !== undefined) return `turn ${turn} of ${agent}`;
  const cutOff = [...(state.agents.get(agent ?? "")?.interruptedTurns.values() ?? [])].find(
    ({ items }) => items.some((item) => item.kind === "prompt" && item.op === op),
  );
  return cutOff === undefined
    ? `a turn of ${agent} that had not begun`
    : `turn ${cutOff.turn} of ${agent}`;
}

function compareFile({ run }: RunState): ComparedFile {
  const { file, fileHash, cwd } = run;
  if (file === undefined || file === "-") return { name: null, status: "none" };
  const hash = hashFile(resolve(cwd, file));
  if (hash === undefined) return { name: file, status: "missing" };
  if (fileHash === undefined) return { name: file, status: "unknown" };
  return { name: file, status: hash === fileHash ? "same" : "changed" };
}

/** Undefined when there is no such file, or none that may be read. */
function hashFile(path: string): string | undefined {
  try {
    const info = statSync(path);
    if (!info.isFile()) return undefined;
    // No workflow file is that large, so it is another one.
    if (info.size > MAX_FILE_BYTES) return "";
    return sha256(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return undefined;
  }
}
