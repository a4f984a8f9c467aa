import { dirname, join } from "node:path";
import type { AgentFunction } from "../../contracts/agent-function.ts";
import type { WorkflowDefinition } from "../../contracts/definition.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { didYouMean } from "../../foundation/near-names.ts";
import { present } from "../../foundation/present.ts";
import { assertLoaded } from "../../workflows/load-workflow.ts";
import type { Machine } from "../machine/machine.ts";
import type { StartOptions } from "../run/start-run.ts";
import { checkInput } from "../workflow/check-input.ts";
import type { OwnCode } from "../workflow/code/workflow-code.ts";
import { loadFile } from "../workflow/load-file.ts";
import { agentNotThere } from "../workflow/shapes/errors.ts";
import { shapeOf } from "../workflow/shapes/registry.ts";
import type { TestCase, TestFile } from "./test-file-schema.ts";

/** What is played: a case of a test, and the file that says so. */
export interface CaseRequest {
  /** Path of the test file; paths in it are relative to where it lies. */
  readonly file: string;
  readonly workflow: TestFile["workflow"];
  readonly agents: TestFile["agents"];
  readonly given: TestCase;
}

/** A workflow that can be played. */
export interface LoadedTrial {
  readonly definition: WorkflowDefinition;
  readonly start: StartOptions;
}

/** Code of one's own that a workflow is played with. */
export interface TrialCode extends OwnCode {
  /** Functions in place of agents, by agent id. Defaults to none. */
  readonly functions?: { readonly [agent: string]: AgentFunction } | undefined;
}

/**
 * Loads the workflow of a case with scripted agents, or with those of a `backend` in `code`. Raises FILE_* errors,
 * WORKFLOW_* errors, CASSETTE_INVALID, CASSETTE_UNPLAYED.
 */
export async function loadTrial(
  machine: Machine,
  { file, workflow, agents, given }: CaseRequest,
  code: TrialCode & { readonly backend?: string } = {},
): Promise<LoadedTrial> {
  const { backend = "script", functions, ...own } = code;
  const { params = {}, timeout, budget = {} } = given;
  const cassette = backend === "script" ? cassetteOf(file, { agents, given }) : undefined;
  const source =
    typeof workflow === "string"
      ? { file: join(dirname(file), workflow) }
      : { file: join(dirname(file), "workflow.json"), text: JSON.stringify(workflow, null, 2) };
  const codeAgents =
    functions === undefined ? undefined : { ids: new Set(Object.keys(functions)), isOpen: true };
  const loaded = await loadFile(machine, {
    ...{ ...source, ...own, backend, cassette, params, codeAgents },
    keptBackends: own.backends?.map(({ name }) => name),
  });
  const definition = withFunctions(assertLoaded(loaded), functions);
  const shape = await shapeOf(definition);
  const { used, asked } = inputOf(given, loaded.usedParams, shape.takesInput);
  const checked = await checkInput(definition, { params: used, ...asked });
  const [problem] = checked.errors;
  if (problem !== undefined) throw problem;
  const { costUsd: cost, ...counts } = budget;
  return {
    definition,
    start: {
      ...own,
      ...present({ functions: functions && new Map(Object.entries(functions)) }),
      ...asked,
      params: checked.params,
      file: source.file,
      instance: "test",
      cassette: loaded.cassette,
      timeoutMs: timeout === undefined ? undefined : parseDuration(timeout),
      budget: present({ cost, ...counts }),
    },
  };
}

/** Functions take the place of whatever their agents are otherwise. Raises WORKFLOW_FUNCTION_UNUSED. */
function withFunctions(
  definition: WorkflowDefinition,
  functions: NonNullable<TrialCode["functions"]> = {},
): WorkflowDefinition {
  const ids = definition.agents.map(({ id }) => id);
  const stranger = Object.keys(functions).find((id) => !ids.includes(id));
  if (stranger !== undefined)
    throw agentNotThere({
      agent: stranger,
      ...present({ hint: didYouMean(stranger, ids, "agents") }),
    });
  const agents = definition.agents.map(({ settings, ...agent }) =>
    Object.hasOwn(functions, agent.id)
      ? { ...agent, backend: "function" }
      : { ...agent, ...present({ settings }) },
  );
  return { ...definition, agents };
}

/** Task and params in the words of the workflow. */
function inputOf(
  { task, input, params = {} }: TestCase,
  usedParams: readonly string[],
  takesInput: boolean,
) {
  if (takesInput) return { used: {}, asked: present({ input: input ?? task }) };
  // What shaped the template is no param of the run any more.
  const used = Object.entries(params).filter(([name]) => !usedParams.includes(name));
  return { used: Object.fromEntries(used), asked: present({ task }) };
}

/** The turns of a case as a cassette: those that it has itself win over those of the file. */
function cassetteOf(
  file: string,
  { agents, given }: Pick<CaseRequest, "agents" | "given">,
): { readonly file: string; readonly source: string } {
  const { default: fallback, repeat = "fail" } = given;
  const turns = { ...agents, ...given.agents };
  const cassette = { version: 1, agents: turns, repeat, ...present({ default: fallback }) };
  return { file, source: JSON.stringify(cassette) };
}
