import type { AgentFunctionInput } from "../../../../src/contracts/agent-function.ts";
import type { StepsDefinition } from "../../../../src/contracts/definition.ts";
import type { Json } from "../../../../src/foundation/json.ts";
import { isRecord } from "../../../../src/foundation/json.ts";
import { loadStepTypes } from "../../../../src/programs/steps/registry.ts";
import { createManualClock } from "../../../../src/testing/manual-clock.ts";
import {
  startStepsInMemory,
  type TestStart,
} from "../../../../src/testing/run-workflow-in-memory.ts";
import type { TestedRun } from "../../../../src/testing/tested-run.ts";
import type { LoadOptions } from "../../../../src/workflows/resolve/load-options.ts";
import { type FlowEnd, untilOver } from "../../../programs/flow/steps-run.ts";
import { unmarked } from "../../../programs/unmarked.ts";
import { type LoadedSteps, loadSteps } from "../load-steps.ts";

const builtInStepTypes = await loadStepTypes();

/** A workflow as the source writes it: JSON, or what becomes it. */
export type Written = string | { readonly [key: string]: unknown };

type Input = { readonly [name: string]: Json };

/** An agent that is a function of the object that the source gives it. */
export type SourceAgent = (
  input: Input,
  call: { readonly turn: number; readonly signal: AbortSignal },
) => unknown;

/** What a workflow is run with. */
export interface SourceStart extends Omit<TestStart, "clock" | "functions"> {
  /** What agents answer to their input; what it throws is an error of the agent. Others answer with their name. */
  readonly agents?: { readonly [agent: string]: SourceAgent };
  /** What a person decides; by default nobody does. */
  readonly decide?: (message: string) => {
    readonly decision: "approved" | "rejected";
    readonly comment?: string;
    readonly edited?: Json;
  };
  readonly load?: Partial<LoadOptions>;
}

/** A run that is over, with what each agent was given, in order. */
export interface SourceRun extends FlowEnd {
  readonly given: readonly (readonly [agent: string, input: Input])[];
}

/** Loads a workflow with all built-in types; agents that nothing describes are functions. */
export function loadWritten(written: Written, options: Partial<LoadOptions> = {}): LoadedSteps {
  const text = typeof written === "string" ? written : JSON.stringify(written);
  const codeAgents = { ids: new Set<string>(), isOpen: true };
  return loadSteps(text, { stepTypes: builtInStepTypes, codeAgents, ...options }, "flow.json");
}

/** The codes of what is wrong with a workflow. */
export function codesOf(written: Written, options: Partial<LoadOptions> = {}): readonly string[] {
  return loadWritten(written, options).problems.map(({ code }) => code);
}

/** What a workflow comes to when it is loaded. */
export function definitionOf(
  written: Written,
  options: Partial<LoadOptions> = {},
): StepsDefinition {
  const { definition, problems } = loadWritten(written, options);
  if (definition === undefined)
    throw new Error(problems.map(({ code, message }) => `${code} ${message}`).join("\n"));
  return definition;
}

/** Loads a workflow and runs it to its end, in memory, under a virtual clock. */
export async function run(written: Written, start: SourceStart = {}): Promise<SourceRun> {
  const { agents = {}, decide, load, ...others } = start;
  const definition = definitionOf(written, load);
  const given: [string, Input][] = [];
  const turns = new Map<string, number>();
  const functions = definition.agents.map(({ id }) => {
    const answer = ({ task, signal }: Pick<AgentFunctionInput, "task" | "signal">) => {
      const input: unknown = JSON.parse(task);
      assertInput(input);
      const turn = (turns.get(id) ?? 0) + 1;
      turns.set(id, turn);
      given.push([id, input]);
      const agent = agents[id];
      return agent === undefined ? id : agent(input, { turn, signal });
    };
    return [id, answer] as const;
  });
  const clock = createManualClock();
  const begun = { ...others, clock, functions: Object.fromEntries(functions) };
  const tested = await startStepsInMemory(definition, begun);
  const deciding = decide === undefined ? undefined : decideAll(tested, decide);
  const end = await untilOver(tested, clock);
  await deciding;
  return { ...end, given };
}

/** The steps of a workflow alone, for statements that are about nothing else. */
export function runSteps(steps: readonly object[], start: SourceStart = {}): Promise<SourceRun> {
  return run({ id: "flow", steps }, start);
}

/** An agent that never answers, and stops when it is told to. */
export const hang: SourceAgent = (_input, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

/** An agent that cannot do its work. */
export const fail: SourceAgent = () => {
  throw new Error("no luck");
};

/** What agents that read text are told, in order. */
export function promptsOf({ all }: FlowEnd): readonly string[] {
  return all("operation-scheduled").flatMap(({ kind, input }) =>
    kind === "turn" && isRecord(input) ? [unmarked(String(input["prompt"]))] : [],
  );
}

async function decideAll(
  { run: tested }: TestedRun,
  decide: NonNullable<SourceStart["decide"]>,
): Promise<void> {
  for await (const event of tested.events) {
    if (event.type !== "approval-requested") continue;
    const { approval, message } = event;
    await tested.command({ kind: "resolve-approval", approval, ...decide(message) });
  }
}

function assertInput(value: unknown): asserts value is Input {
  if (!isRecord(value)) throw new Error("an agent gets an object");
}
