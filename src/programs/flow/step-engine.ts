import type { AgentHandle } from "../../contracts/agent.ts";
import type { TraitsOf } from "../../contracts/backend.ts";
import type { StepsDefinition } from "../../contracts/definition.ts";
import type { FlowStep } from "../../contracts/flow-step.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { StepType } from "../../contracts/ports/step-type.ts";
import type { ErrorReport } from "../../foundation/errors.ts";
import { type Json, toJson } from "../../foundation/json.ts";
import { commandLookup } from "../language/templates/prompt-lookup.ts";
import { renderAgent } from "../language/templates/render-agent.ts";
import { type PlaceOfWork, placeAt, placeOfAgent } from "../step/gates/work-place.ts";
import { dataTooLarge, dataTooLargeTogether, stepTypeUnknown } from "../steps/parts/errors.ts";
import type { FlowContext } from "./flow-context.ts";
import { InputPrint } from "./input-print.ts";
import { scopeLookup } from "./step-scope.ts";
import { StepTexts } from "./step-texts.ts";

/** What all steps of one run share. */
export interface StepEngine {
  readonly definition: StepsDefinition;
  readonly texts: StepTexts;
  readonly truth: Truth;
  readonly print: InputPrint;
  readonly bounds: DataBounds;
  /** The steps that routes can name. */
  readonly stepsById: ReadonlyMap<string, FlowStep>;
  readonly traitsOf: TraitsOf;
  /** Raises WORKFLOW_UNKNOWN_STEP_TYPE. */
  typeOf(step: FlowStep): StepType;
  /** The settings of a step as its type has parsed them. */
  settingsOf(step: FlowStep): unknown;
  /** From 1 for each path. */
  nextExecution(path: string): number;
  agent(id: string): Promise<AgentHandle>;
  /** Place in which an agent of the definition works, whether it takes part yet or not. */
  place(id: string): PlaceOfWork;
}

/** What is needed beside the definition. */
export interface StepEngineParts {
  readonly context: Context;
  readonly definition: StepsDefinition;
  readonly types: ReadonlyMap<string, StepType>;
  readonly traitsOf: TraitsOf;
  /** The workflow before its first step. */
  readonly start: FlowContext;
}

/** The shared state of a run that begins, or is replayed. */
export function createStepEngine({
  context,
  definition,
  types,
  traitsOf,
  start,
}: StepEngineParts): StepEngine {
  const settings = new Map<FlowStep, unknown>();
  const executions = new Map<string, number>();
  const texts = new StepTexts();
  const typeOf = (step: FlowStep) => {
    const type = types.get(step.type);
    if (type === undefined)
      throw stepTypeUnknown({ step: step.id, type: step.type, known: [...types.keys()] });
    return type;
  };
  return {
    definition,
    texts,
    truth: new Truth(),
    bounds: new DataBounds(),
    stepsById: new Map(definition.steps.map((step) => [step.id, step])),
    print: new InputPrint({ definition, texts, typeOf, traitsOf }),
    traitsOf,
    typeOf,
    settingsOf: (step) => {
      if (!settings.has(step)) settings.set(step, typeOf(step).settings.parse(step.settings));
      return settings.get(step);
    },
    nextExecution: (path) => {
      const execution = (executions.get(path) ?? 0) + 1;
      executions.set(path, execution);
      return execution;
    },
    ...createStepAgents({ context, definition, texts, start }),
  };
}

const MAX_STEP_CHARS = 16 * 1024 * 1024;

// A few such texts fit into the memory of a process; a cycle that doubles what it has would soon take all of it.
const MAX_RUN_CHARS = 128 * 1024 * 1024;

/** How much the steps of a run may come to: all of it stays in memory, for whatever looks back. */
export class DataBounds {
  #totalChars = 0;

  /** Takes in what a step came to. Raises STEP_DATA_TOO_LARGE, STEP_DATA_TOO_LARGE_TOGETHER, VALUE_NOT_JSON. */
  admit(step: string, given: unknown): Json {
    const data = toJson(given, `the data of step "${step}"`);
    const chars = JSON.stringify(data).length;
    if (chars > MAX_STEP_CHARS) throw dataTooLarge({ step });
    if (this.#totalChars + chars > MAX_RUN_CHARS) throw dataTooLargeTogether({ step });
    this.#totalChars += chars;
    return data;
  }
}

/** What agents are spawned with. */
interface StepAgentParts {
  /** Outlives every step, so that an agent does not go with the first one that uses it. */
  readonly context: Context;
  readonly definition: StepsDefinition;
  readonly texts: StepTexts;
  readonly start: FlowContext;
}

/** Spawns each agent when it is first used, and says where it works; its texts see the workflow's input and what the context begins with. */
function createStepAgents(parts: StepAgentParts): Pick<StepEngine, "agent" | "place"> {
  const { context, definition, start } = parts;
  const lookup = commandLookup(scopeLookup(start));
  const spawned = new Map<string, Promise<AgentHandle>>();
  const find = (id: string) =>
    definition.agents.find((agent) => agent.id.toLowerCase() === id.toLowerCase());
  const spawn = (id: string) => {
    const spec = find(id);
    if (spec === undefined)
      throw new Error(`step without check: no agent "${id}" in the definition`);
    return context.spawn(renderAgent(spec, lookup), { isShared: true });
  };
  return {
    agent: async (id) => {
      const handle = spawned.get(id) ?? spawn(id);
      spawned.set(id, handle);
      return handle;
    },
    place: (id) => {
      const spec = find(id);
      const cwd = spec?.cwd ?? context.run.cwd;
      if (spec?.isolation !== "worktree") return placeAt(cwd);
      const own = { cwd, isWorktree: true };
      // Its texts may name a variable that is not there: that is told where the place is asked for.
      return {
        ...placeOfAgent(spec, own),
        find: async (call) => placeOfAgent(renderAgent(spec, lookup), own).find(call),
      };
    },
  };
}

/** A step whose latest execution failed, and nothing made up for it. */
interface OpenFailure {
  readonly path: string;
  readonly error: ErrorReport;
}

/**
 * Which failures of a step workflow nothing has handled (ENG-11): the latest execution of each step decides. Steps
 * are told apart by keys; a step inside of another one lies below the other's key.
 */
export class Truth {
  readonly #open = new Map<string, OpenFailure>();
  /** Keys of open failures by that of the step around them. */
  readonly #below = new Map<string, Set<string>>();

  /** The first failure that is still open. */
  get first(): OpenFailure | undefined {
    for (const failure of this.#open.values()) return failure;
    return undefined;
  }

  fail(key: string, parent: string | undefined, failure: OpenFailure): void {
    this.#open.delete(key);
    this.#open.set(key, failure);
    if (parent === undefined) return;
    const below = this.#below.get(parent) ?? new Set();
    this.#below.set(parent, below.add(key));
  }

  /** A later execution of the step has succeeded. */
  succeed(key: string): void {
    this.#open.delete(key);
  }

  /** Something takes care of the failure of this step, and of those inside of it. */
  handle(key: string): void {
    this.#open.delete(key);
    this.handleBelow(key);
  }

  /** Failures inside of the step count no more: it succeeded in spite of them, or begins again. */
  handleBelow(key: string): void {
    const below = this.#below.get(key);
    this.#below.delete(key);
    for (const inner of below ?? []) this.handle(inner);
  }
}
