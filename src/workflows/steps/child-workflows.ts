import { basename, dirname, resolve } from "node:path";
import type { WorkflowDefinition } from "../../contracts/definition.ts";
import type { WorkflowReference } from "../../contracts/ports/step-type.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { cycle, workflowPathOutside } from "../checks/errors.ts";
import { type LocatedText, MAX_NEAR_NAMES, textsWithin } from "../checks/file-view.ts";
import type { Problem } from "../problems/problem.ts";
import type { FileReading } from "../resolve/file-shape.ts";
import type { EnclosingWorkflows, LoadOptions } from "../resolve/load-options.ts";
import { isInside, realLocation } from "../resolve/resolve-paths.ts";
import { readTextBounded } from "../source/read-text-bounded.ts";
import { childInvalid, unknownWorkflow } from "./errors.ts";
import { ownPart, type StepView, settingsOf, stepLabel, stepPlace } from "./step-view.ts";
import type { StepsCheck } from "./steps-check.ts";

const MAX_BYTES = 1_048_576;
const MAX_LEVELS = 8;
/** Most workflows that one may hold, those inside of them included, and how long their files may be together. */
const MAX_WORKFLOWS = 50;
const MAX_CHARS = 4_194_304;
/** How many problems of a child are told where it is named. */
const TOLD_PROBLEMS = 3;

/** Workflows that the steps of a file run, by the name under which the steps ask for them. */
export type ChildWorkflows = { readonly [key: string]: WorkflowDefinition };

/** What children are loaded with. */
export interface ChildLoading {
  readonly check: StepsCheck;
  /** The workflow that runs them. */
  readonly name: string;
  readonly readOther: FileReading["readOther"];
}

/**
 * Loads the workflows that steps name by a file or an id. What speaks against one is reported where it is named
 * first: WORKFLOW_CHILD_INVALID, WORKFLOW_UNKNOWN_WORKFLOW, WORKFLOW_CYCLE, WORKFLOW_PATH_OUTSIDE.
 */
export function loadChildWorkflows(loading: ChildLoading): ChildWorkflows {
  const { check, name } = loading;
  const uses = new Map<string, WorkflowUse>();
  for (const use of check.view.all.flatMap(usesOf))
    if (!uses.has(use.reference.key)) uses.set(use.reference.key, use);
  if (uses.size === 0) return {};
  const enclosing = check.options.enclosing ?? {
    chain: [],
    left: { workflows: MAX_WORKFLOWS, chars: MAX_CHARS },
  };
  const chain = [...enclosing.chain, { name, file: ownFile(check) }];
  const found = [...uses].flatMap(([key, use]) => {
    const child = loadChild(loading, use, { ...enclosing, chain });
    if (!("error" in child)) return [[key, child.definition] as const];
    check.report(child.error, use.located?.node ?? use.step.idRange);
    return [];
  });
  return Object.fromEntries(found);
}

interface WorkflowUse {
  readonly step: StepView;
  readonly reference: WorkflowReference;
  readonly located: LocatedText | undefined;
}

function usesOf(step: StepView): readonly WorkflowUse[] {
  const { node, kind } = step;
  const settings = settingsOf(step);
  if (settings === undefined || kind === undefined || node.kind !== "map") return [];
  const references = kind.type.workflows?.(settings) ?? [];
  const texts = references.length === 0 ? [] : textsWithin(ownPart(node, kind));
  return references.map((reference) => {
    const written = "file" in reference ? reference.file : reference.id;
    const located = texts.find(({ text }) => text === written || text.endsWith(`:${written}`));
    return { step, reference, located };
  });
}

function ownFile({ file, options }: StepsCheck): string {
  return realLocation(resolve(baseOf(options), basename(file)));
}

function baseOf({ fileDirectory, cwd, projectRoot }: LoadOptions): string {
  return fileDirectory ?? cwd ?? projectRoot;
}

type Child = { readonly definition: WorkflowDefinition } | { readonly error: TroupeError };

function loadChild(loading: ChildLoading, use: WorkflowUse, enclosing: EnclosingWorkflows): Child {
  const { key } = use.reference;
  const path =
    "file" in use.reference
      ? pathOf(loading, use.reference.file, use)
      : fileOf(loading, use.reference.id, use);
  if ("error" in path) return path;
  const { chain, left } = enclosing;
  const index = chain.findIndex(({ file }) => file === realLocation(path.file));
  if (index >= 0) {
    const around = chain.slice(index).map(({ name }) => name);
    const first = around[0] ?? key;
    return { error: cycle({ what: "a workflow runs itself", path: [...around, first] }) };
  }
  const source = readTextBounded(path.file, MAX_BYTES);
  if (typeof source !== "string") return refused(key, [source.problem]);
  left.workflows -= 1;
  left.chars -= source.length;
  if (chain.length > MAX_LEVELS || left.workflows < 0 || left.chars < 0)
    return refused(key, [
      `it is too much: workflows hold each other over ${MAX_LEVELS} levels, ${MAX_WORKFLOWS} in all, of ${MAX_CHARS / 1_048_576} MiB together, at most`,
    ]);
  return parseChild(loading, { key, source, file: path.file }, enclosing);
}

interface ChildSource {
  readonly key: string;
  readonly source: string;
  /** Absolute. */
  readonly file: string;
}

function parseChild(
  { check, readOther }: ChildLoading,
  { key, source, file }: ChildSource,
  enclosing: EnclosingWorkflows,
): Child {
  // What is given to the run is meant for the workflow that it runs, and not for others inside of that one.
  const { params: _params, until: _until, importFrom: _importFrom, ...shared } = check.options;
  const options = { ...shared, fileDirectory: dirname(file), enclosing };
  const { definition, problems } = readOther(source, file, options);
  const errors = problems.filter(({ severity }) => severity === "error");
  if (definition !== undefined && errors.length === 0) return { definition };
  const told = errors.slice(0, TOLD_PROBLEMS).map((problem) => shownProblem(problem, key));
  return {
    error: childInvalid({ workflow: key, problems: told, more: errors.length - told.length }),
  };
}

function shownProblem({ line, column, code, message }: Problem, key: string): string {
  return `${key}:${line}:${column} ${code}: ${message}`;
}

type ChildPath = { readonly file: string } | { readonly error: TroupeError };

function pathOf(
  { check: { options } }: ChildLoading,
  path: string,
  { step }: WorkflowUse,
): ChildPath {
  const { projectRoot: root } = options;
  const file = resolve(baseOf(options), path);
  if (isInside(file, root) && isInside(realLocation(file), realLocation(root))) return { file };
  return { error: workflowPathOutside({ place: stepPlace(step), path, root }) };
}

function fileOf({ check, name }: ChildLoading, id: string, { step }: WorkflowUse): ChildPath {
  const { workflowRegistry: registry } = check.options;
  try {
    const found = registry?.find(id, name);
    if (found !== undefined) return found;
  } catch (error) {
    if (error instanceof TroupeError) return { error };
    throw error;
  }
  const known = (registry?.ids() ?? []).slice(0, MAX_NEAR_NAMES);
  return { error: unknownWorkflow({ step: stepLabel(step), id, known }) };
}

function refused(workflow: string, problems: readonly string[]): Child {
  return { error: childInvalid({ workflow, problems, more: 0 }) };
}
