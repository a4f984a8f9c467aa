import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { z } from "zod";
import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import type { LeftWorktree, ReuseTable } from "../../../contracts/events/reuse.ts";
import type { RunCreated } from "../../../contracts/events/run-events.ts";
import { foldAll } from "../../../fold/fold.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { isOver } from "../../../fold/waiting.ts";
import { sha256 } from "../../../foundation/hash.ts";
import { canonicalJson, toJson } from "../../../foundation/json.ts";
import { present } from "../../../foundation/present.ts";
import { readGitHead } from "../../../host/git/git-head.ts";
import { readBranchTip } from "../../../host/git/repository.ts";
import { headElsewhere } from "../../../programs/errors.ts";
import { startedBelow } from "../../machine/agent-above.ts";
import type { Machine } from "../../machine/machine.ts";
import { VERSION } from "../../machine/place/version.ts";
import { assertTrust, configurationFor } from "../../run/owner/run-configuration.ts";
import { assertOwnPlace } from "../../runs/assert-own-place.ts";
import { assertOwnRun } from "../../runs/assert-own-run.ts";
import { neverBegan, noIteration, runMoved, stepUnknown } from "../../runs/errors.ts";
import { resolveRun } from "../../runs/run-lookup.ts";
import { isPlaceOf } from "../../runs/step-place.ts";
import type { OwnCode } from "../../workflow/code/workflow-code.ts";
import { programOf } from "../../workflow/plugins/assert-code.ts";
import { codeOf } from "../../workflow/plugins/code-of.ts";
import { shapeOf } from "../../workflow/shapes/registry.ts";
import { readRecipe } from "../../workflow/shapes/run-recipe.ts";
import type { OrderedStep } from "../../workflow/shapes/shape.ts";
import { type ReadableRun, readIntact } from "../read-intact.ts";
import { writeRun } from "../write-run.ts";
import { iterationAt, type RerunChoice, whyAgain } from "./rerun-choice.ts";
import { reusableSteps } from "./reusable-steps.ts";

// As the step of an iteration keeps it.
const kept = z.object({ record: z.object({ commitId: z.string().nullable() }) });

/** A rerun that waits to be resumed. */
export interface Rerun {
  readonly run: string;
  /** The earlier run. */
  readonly of: string;
  /** Executions of steps that it may take over, if they are given the same. */
  readonly offered: number;
}

/** The run that is to be carried out again. */
export interface RunToRepeat {
  readonly state: RunState;
  readonly definition: WorkflowDefinition;
  /** Its steps. */
  readonly ordered: readonly OrderedStep[];
  readonly readable: ReadableRun;
  /** What may be taken over of it. */
  readonly offered: ReuseTable["steps"];
}

/**
 * Makes a new run of the same definition and under the configuration as it is now, with the same task, params and input, that takes over what the earlier one
 * did; `resumeRun` carries it out. Raises RUN_NOT_FOUND, RUN_AMBIGUOUS, RUN_FOREIGN, RUN_CONFIGURATION_DIFFERS, RUN_NEVER_BEGAN, RUN_STEP_UNKNOWN, RUN_MOVED,
 * WORKFLOW_CODE_MISSING, ENGINE_PROGRAM_NOT_FOUND, STORE_* errors and what codeOf raises; then nothing was made.
 */
export async function createRerun(
  machine: Machine,
  given: string,
  choice: RerunChoice & OwnCode,
): Promise<Rerun> {
  const earlier = await readEarlier(machine, given, choice);
  const { state, definition, readable, offered } = earlier;
  const { id: of, cwd, definitionHash } = state.run;
  await assertTrust(machine, { run: state.run, definition });
  await programOf(state.run, definition, await codeOf(machine, choice));
  const shape = await shapeOf(definition);
  if (machine.keepsFiles && !existsSync(cwd)) throw runMoved({ run: of, cwd });
  const run = machine.newRunId();
  const table: ReuseTable = { v: 1, steps: offered };
  const text = canonicalJson(toJson(table, "what a run may take over"));
  const configuration = machine.keepsFiles
    ? await configurationFor(machine, definition, cwd)
    : undefined;
  const event = { ...toCreated(machine, earlier, sha256(text)), ...present({ configuration }) };
  const { stepTotal } = shape.setup(definition, { ...state.run, id: run });
  await writeRun(machine, run, {
    events: [{ ...event, seq: 1, at: machine.clock.now() }],
    texts: {
      [definitionHash]: readable.texts.get(definitionHash) ?? "",
      [sha256(text)]: text,
    },
    stepTotal,
  });
  return { run, of, offered: offered.length };
}

/** The earlier run and what of it may be taken over. Raises what rerunRun raises of these. */
export async function readEarlier(
  machine: Machine,
  given: string,
  choice: RerunChoice,
): Promise<RunToRepeat> {
  const run = resolveRun(machine.store, given);
  assertOwnRun(machine.store, run);
  assertOwnPlace(machine, run);
  const readable = readIntact(machine, run);
  if (readable.events.length === 0) throw neverBegan({ run });
  const state = foldAll(run, readable.events);
  const { definition } = await readRecipe(run, readable.texts.get(state.run.definitionHash));
  const shape = await shapeOf(definition);
  const ordered = shape.ordered(definition);
  if (choice.kind === "from" || choice.kind === "only") assertStep({ state, ordered }, choice.step);
  const reason = whyAgain(ordered, choice);
  const isIterated = choice.kind === "iteration";
  const keepsFailed = (path: string) => isIterated && reason(path) === undefined;
  const offered = reusableSteps(run, readable.events, keepsFailed).filter(
    ({ path }) => reason(path) === undefined,
  );
  if (isIterated) assertIteration({ state, offered }, choice.from);
  return { state, definition, ordered, readable, offered };
}

function assertStep(
  { state, ordered }: Pick<RunToRepeat, "state" | "ordered">,
  step: string,
): void {
  const ids = ordered.map(({ id }) => id);
  const known = [...new Set([...ids, ...state.steps.byPath.keys()])];
  if (known.some((path) => isPlaceOf(path, step))) return;
  throw stepUnknown({ run: state.run.id, step, known });
}

function toCreated(
  machine: Machine,
  { state, offered }: Pick<RunToRepeat, "state" | "offered">,
  hash: string,
): RunCreated {
  const { run } = state;
  const worktrees = leftWorktrees(state, offered);
  const { workflow, instance, definitionHash, program, cwd, limits, params } = run;
  const { file, fileHash, task, input } = run;
  const repository = machine.keepsFiles ? readGitHead(cwd) : undefined;
  return {
    type: "run-created",
    ...{ workflow, instance, definitionHash, program, cwd, limits, params },
    seed: randomBytes(16).toString("hex"),
    troupe: VERSION,
    ...present({ file, fileHash, repository, task, input }),
    reuse: { run: run.id, hash, ...present({ worktrees }) },
    ...startedBelow(machine),
  };
}

/**
 * Returns the commits in worktrees of agents whose steps may be reused; undefined if there are none. An agent that did not
 * join the earlier run, because all of its own steps were reused there, has them in the run before that one.
 */
function leftWorktrees(
  { run, agents }: RunState,
  offered: ReuseTable["steps"],
): readonly LeftWorktree[] | undefined {
  const reused = new Set(offered.map(({ agent }) => agent));
  const earlier = (run.reuse?.worktrees ?? []).filter(({ agent }) => !agents.has(agent));
  const own = [...agents.values()].flatMap(({ id, place }): readonly LeftWorktree[] => {
    const { worktree, end } = place ?? {};
    if (worktree === undefined) return [];
    const { root, branch, base } = worktree;
    const commit = end?.commit ?? readBranchTip(root, branch);
    return commit === undefined || commit === base
      ? []
      : [{ agent: id, run: run.id, base, commit }];
  });
  const left = [...earlier, ...own].filter(({ agent }) => reused.has(agent));
  return left.length === 0 ? undefined : left;
}

/**
 * Whether a series can be carried out again from an iteration on: it is over and came that far, all iterations before are
 * known, and the working tree stands where the last of them left it. Raises RUN_NO_ITERATION, ITERATE_HEAD_ELSEWHERE.
 */
function assertIteration(
  { state, offered }: { readonly state: RunState; readonly offered: ReuseTable["steps"] },
  from: number,
): void {
  const { id: run, cwd } = state.run;
  const known = [...state.steps.byPath.keys()].flatMap((path) => iterationAt(path) ?? []);
  const refuse = (problem: string) => noIteration({ run, from, problem });
  if (known.length === 0) throw refuse("it is no series of iterations");
  if (!isOver(state)) throw refuse("it is not over yet; resume it without --from");
  const last = Math.max(...known);
  if (from > last + 1) throw refuse(`its last iteration is ${last}`);
  const taken = new Set(offered.map(({ path }) => iterationAt(path)));
  for (let iteration = 0; iteration < from; iteration += 1)
    if (!taken.has(iteration))
      throw refuse(`iteration ${iteration} was cut off, so nothing can follow it`);
  const commits = offered
    .toSorted((left, right) => (iterationAt(left.path) ?? 0) - (iterationAt(right.path) ?? 0))
    .flatMap(({ data }) => {
      const read = kept.safeParse(data);
      return read.success ? (read.data.record.commitId ?? []) : [];
    });
  const expected = commits.at(-1);
  const found = readGitHead(cwd)?.commit ?? "nothing";
  if (expected !== undefined && expected !== found)
    throw headElsewhere({ iteration: from, expected, found });
}
