import { dirname, join } from "node:path";
import type { WorkflowDefinition } from "../../contracts/definition.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { present } from "../../foundation/present.ts";
import { assertLoaded } from "../../workflows/load-workflow.ts";
import type { Machine } from "../machine/machine.ts";
import type { StartOptions } from "../run/start-run.ts";
import { checkInput } from "../workflow/check-input.ts";
import type { OwnCode } from "../workflow/code/workflow-code.ts";
import { loadFile } from "../workflow/load-file.ts";
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

/**
 * Loads the workflow of a case with scripted agents, or with those of a `backend` in `code`. Raises FILE_* errors,
 * WORKFLOW_* errors, CASSETTE_INVALID.
 */
export async function loadTrial(
  machine: Machine,
  { file, workflow, agents, given }: CaseRequest,
  code: OwnCode & { readonly backend?: string } = {},
): Promise<LoadedTrial> {
  const { backend = "script", ...own } = code;
  const { params = {}, timeout, budget = {} } = given;
  const cassette = backend === "script" ? cassetteOf(file, { agents, given }) : undefined;
  const source =
    typeof workflow === "string"
      ? { file: join(dirname(file), workflow) }
      : { file: join(dirname(file), "workflow.json"), text: JSON.stringify(workflow, null, 2) };
  const loaded = await loadFile(machine, { ...source, ...own, backend, cassette, params });
  const definition = assertLoaded(loaded);
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
