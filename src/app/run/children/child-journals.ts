import { cassetteBelow } from "../../../agents/backends/script/cassette-below.ts";
import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import type { Journal } from "../../../contracts/ports/store.ts";
import { foldAll } from "../../../fold/fold.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { isOver } from "../../../fold/waiting.ts";
import { delay } from "../../../foundation/abort.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import { sha256 } from "../../../foundation/hash.ts";
import { isRecord, type Json, toJson } from "../../../foundation/json.ts";
import { checkInput } from "../../workflow/check-input.ts";
import { workflowsOf } from "../../workflow/child-workflows.ts";
import { shapeOf } from "../../workflow/shapes/registry.ts";
import type { RunToCarryOut } from "../owner/carry-out-options.ts";
import { childInputInvalid, childUnknown, runTooDeep } from "../owner/errors.ts";
import { type NewRunOptions, newRun } from "../owner/new-run.ts";
import { recordedRun } from "../owner/recorded-run.ts";
import type { TreeMember } from "../owner/run-tree.ts";
import type { WorkflowRun } from "../owner/workflow-run.ts";
import type { ChildCall, ChildRunsParts, ChildToBegin } from "./child-runs-parts.ts";

/** Levels of runs below the first one. */
const MAX_DEPTH = 8;
/** How long a bystander who records a command may keep the run for himself. */
const PATIENCE = { attempts: 50, pauseMs: 100 } as const;

/** A child that is over already, or that this process carries out now. */
export type OpenedChild =
  | { readonly status: "over"; readonly state: RunState }
  | { readonly status: "open"; readonly run: WorkflowRun };

/** The children of one run where they are kept: makes them, finds them again, takes them up. */
export class ChildJournals {
  readonly #parts: ChildRunsParts;
  readonly #watch: (op: string, child: string, member: TreeMember) => void;

  constructor(
    parts: ChildRunsParts,
    watch: (op: string, child: string, member: TreeMember) => void,
  ) {
    this.#parts = parts;
    this.#watch = watch;
  }

  /** What a new child begins with. Raises WORKFLOW_CHILD_UNKNOWN, RUN_TOO_DEEP and what childInput raises. */
  async toBegin(workflow: string, input: Json): Promise<ChildToBegin> {
    const { recipe, depth } = this.#parts;
    const known = workflowsOf(recipe.definition);
    const given = Object.hasOwn(known, workflow) ? known[workflow] : undefined;
    if (given === undefined) throw childUnknown({ workflow, known: Object.keys(known) });
    if (depth >= MAX_DEPTH) throw runTooDeep({ workflow, limit: MAX_DEPTH });
    const shape = await shapeOf(given);
    const definition = shape.complete(given);
    return { definition, input: await childInput(definition, input) };
  }

  /** Whose child has this id: that of an operation of this run, somebody else's run, or nobody's yet. */
  belongs(child: string, op: string): "own" | "other" | "nobody" {
    const journal = this.#find(child);
    try {
      const [first] = journal?.read() ?? [];
      if (first === undefined) return "nobody";
      const parent = first.type === "run-created" ? first.parent : undefined;
      return parent?.run === this.#parts.runtime.run && parent.op === op ? "own" : "other";
    } finally {
      journal?.close();
    }
  }

  /** Begins a child or goes on with it. Raises what carryOut raises. */
  async open(asked: ChildCall): Promise<OpenedChild> {
    const never = new AbortController().signal;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#open(asked);
      } catch (error) {
        const isOwned = error instanceof TroupeError && error.code === "ENGINE_RUN_OWNED";
        if (!isOwned || attempt >= PATIENCE.attempts) throw error;
        await delay(this.#parts.machine.clock, PATIENCE.pauseMs, never);
      }
    }
  }

  async #open({ child, call: { op }, begin }: ChildCall): Promise<OpenedChild> {
    const state = this.#stateOf(child);
    if (state !== undefined && isPast(state)) return { status: "over", state };
    const run = await (state === undefined ? this.#begin(child, op, begin) : this.#recorded(state));
    const { tree, depth, budget: above, carryOut, machine } = this.#parts;
    const watch = (member: TreeMember) => this.#watch(op, child, member);
    const place = { tree, depth: depth + 1, above, watch };
    try {
      return { status: "open", run: await carryOut({ ...run, place }) };
    } catch (error) {
      // Nothing of it was started, so nothing is left behind.
      if (state === undefined) machine.store.remove(child);
      throw error;
    }
  }

  async #begin(child: string, op: string, begin: ChildToBegin | undefined): Promise<RunToCarryOut> {
    if (begin === undefined) throw new Error(`${child} is not there to be ended`);
    const { machine, runtime, recipe, code } = this.#parts;
    const { run } = runtime.state;
    return newRun(machine, begin.definition, {
      ...begin.input,
      id: child,
      // One run of a workflow and instance at a time: children stand side by side.
      instance: child,
      parent: { run: runtime.run, op },
      configuration: run.configuration,
      cwd: run.cwd,
      seed: sha256(`${run.seed}:${op}`).slice(0, 32),
      cassette: recipe.cassette === undefined ? undefined : cassetteBelow(recipe.cassette, op),
      code,
      open: (id) => this.#create(id),
    });
  }

  async #recorded(state: RunState): Promise<RunToCarryOut> {
    const { machine, childLimits, code } = this.#parts;
    const limits = state.phase.status === "ended" ? childLimits : undefined;
    const journal = machine.store.open(state.run.id, "write");
    try {
      return await recordedRun(journal, state, { limits, code });
    } catch (error) {
      journal.close();
      throw error;
    }
  }

  /** A journal that was made and never written to is as good as new. */
  #create(child: string): Journal {
    const { store } = this.#parts.machine;
    try {
      return store.create(child);
    } catch (error) {
      if (!(error instanceof TroupeError) || error.code !== "STORE_RUN_EXISTS") throw error;
      return store.open(child, "write");
    }
  }

  #stateOf(child: string): RunState | undefined {
    const journal = this.#find(child);
    if (journal === undefined) return undefined;
    try {
      const state = foldAll(child, journal.read());
      return state.lastSeq === 0 ? undefined : state;
    } finally {
      journal.close();
    }
  }

  #find(child: string): Journal | undefined {
    try {
      return this.#parts.machine.store.open(child, "read");
    } catch (error) {
      if (error instanceof TroupeError && error.code === "RUN_NOT_FOUND") return undefined;
      throw error;
    }
  }
}

/** One that stopped at a limit goes on with its parent; one that ran out of its own time has failed it. */
function isPast(state: RunState): boolean {
  const { phase } = state;
  return isOver(state) || (phase.status === "ended" && phase.outcome !== "limit-reached");
}

/**
 * What a child is started with: the input of a step workflow as it is; to others a text is the task and an object
 * holds the params. Raises WORKFLOW_CHILD_INPUT and what keeps a run with that input from starting.
 */
async function childInput(
  definition: WorkflowDefinition,
  input: Json,
): Promise<Pick<NewRunOptions, "task" | "params" | "input">> {
  const { takesInput } = await shapeOf(definition);
  const given = takesInput ? { input, params: {} } : toGiven(definition.name, input);
  const { params, errors } = await checkInput(definition, given);
  const [error] = errors;
  if (error !== undefined) throw error;
  return { ...given, params };
}

function toGiven(
  workflow: string,
  input: Json,
): { readonly task?: string; readonly params: { readonly [name: string]: Json } } {
  if (input === null) return { params: {} };
  if (typeof input === "string") return { task: input, params: {} };
  if (!isRecord(input)) {
    const kind = Array.isArray(input) ? "a list" : `a ${typeof input}`;
    throw childInputInvalid({ workflow, kind });
  }
  const params = Object.entries(input).map(([name, value]) => [name, toJson(value, name)] as const);
  return { params: Object.fromEntries(params) };
}
