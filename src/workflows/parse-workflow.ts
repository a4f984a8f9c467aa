import type { WorkflowDefinition } from "../contracts/definition.ts";
import type { StepType } from "../contracts/ports/step-type.ts";
import type { TroupeError } from "../foundation/errors.ts";
import { nearestName } from "../foundation/near-names.ts";
import { present } from "../foundation/present.ts";
import { shapeUnknown } from "./errors.ts";
import type { ImportedFile, ImportOptions } from "./importers/import-tree.ts";
import { importers, loadConverters } from "./importers/registry.ts";
import {
  createProblemCollector,
  isOk,
  type Problem,
  type ProblemCollector,
} from "./problems/problem.ts";
import {
  type FileReading,
  type KnownShape,
  type ReadableShape,
  type ReadWorkflow,
  toReadable,
} from "./resolve/file-shape.ts";
import type { BackendOrigin } from "./resolve/resolve-backend.ts";
import type { KnownPattern, PatternEntry } from "./schema/catalogue.ts";
import { parseSource } from "./source/parse-source.ts";
import type { MapNode, SourceRange } from "./source/source-node.ts";
import { findEscapingDirectories, readWorkflowTree } from "./tree/workflow-tree.ts";

/** What a workflow file comes to. */
export interface LoadedWorkflow {
  /** Present when no problem is an error. */
  readonly definition: WorkflowDefinition | undefined;
  /** Everything that is wrong or doubtful, by position; at most 100. */
  readonly problems: readonly Problem[];
  /** The name of the file as it was given. */
  readonly file: string;
  /** Its text without a byte order mark. */
  readonly source: string;
  /** Its content with its template in place, or what was made of it; undefined when nothing can be. */
  readonly root: MapNode | undefined;
  /** Given params that shaped its template; they are no params of the definition. */
  readonly usedParams: readonly string[];
  /** What decided on the backend of each agent of the definition. */
  readonly backendOrigins: ReadonlyMap<string, BackendOrigin>;
  /** What was made of a file that was written for another tool. */
  readonly imported?: ImportedFile;
}

/** What a text is read against, and as what. */
export interface ParseOptions extends ImportOptions {
  /** Shapes of files; the first that fits is that of a file. */
  readonly shapes: readonly ReadableShape[];
}

/** The same before anything of it is loaded. */
export interface ReadOptions extends Omit<ParseOptions, LoadedParts> {
  /** Every shape of files. */
  readonly shapes: readonly KnownShape[];
  /** All that can be run. */
  readonly patterns: readonly Loadable<KnownPattern, PatternEntry>[];
  /** All that steps may be of. */
  readonly stepTypes: readonly Loadable<Pick<StepType, "name">, StepType>[];
  /** See LoadOptions.modelProblem; nothing of it is needed by texts that name no model. */
  readonly loadModelProblem?: () => Promise<ParseOptions["modelProblem"]>;
}

type LoadedParts =
  | "modelProblem"
  | "shapes"
  | "patterns"
  | "knownPatterns"
  | "stepTypes"
  | "converters";
type Loadable<Known, Whole> = Known & { load(): Promise<Whole> };

/** Reads the text of a workflow file as parseWorkflow does; loads what this text takes, and nothing else. */
export async function readWorkflow(
  text: string,
  file: string,
  options: ReadOptions,
): Promise<LoadedWorkflow> {
  return parseWorkflow(text, file, await loadParts(text, file, options));
}

/** The same for the text of a file that is there: no directory of an agent leaves the project through a link. */
export async function readLocated(
  text: string,
  file: string,
  options: ReadOptions,
): Promise<LoadedWorkflow> {
  return parseLocated(text, file, await loadParts(text, file, options));
}

async function loadParts(
  text: string,
  file: string,
  { shapes, patterns, stepTypes, loadModelProblem, ...rest }: ReadOptions,
): Promise<ParseOptions> {
  const modelProblem = text.includes("model") ? await loadModelProblem?.() : undefined;
  const known = { knownPatterns: patterns, patterns: [], shapes: [] };
  const options: ParseOptions = { ...rest, ...known, ...present({ modelProblem }) };
  const root = ownRoot(text, file, options);
  const shape = root && shapes.find((candidate) => candidate.fits(root));
  // What typed steps run may be a file of any shape and any tool.
  if (root === undefined || shape?.isTyped)
    return {
      ...options,
      shapes: await Promise.all(shapes.map(toReadable)),
      patterns: await loadAll(patterns),
      stepTypes: await loadAll(stepTypes),
      converters: await loadConverters(),
    };
  if (shape === undefined) return options;
  const names = shape.patternsIn?.(root) ?? [];
  const named = patterns.filter(({ name }) => names.includes(name));
  return { ...options, shapes: [await toReadable(shape)], patterns: await loadAll(named) };
}

function loadAll<Whole>(parts: readonly Loadable<unknown, Whole>[]): Promise<readonly Whole[]> {
  return Promise.all(parts.map((part) => part.load()));
}

/** The content of a file with its template in place; undefined for what may be a file of another tool. */
function ownRoot(text: string, file: string, options: ImportOptions): MapNode | undefined {
  const { root } = parseSource(text, file);
  if (root?.kind !== "map" || options.importFrom !== undefined) return undefined;
  if (importers.some((importer) => importer.findTellingKey(root) !== undefined)) return undefined;
  return root.entries.has("template") ? readWorkflowTree(text, file, options).root : root;
}

/** Reads the text of a workflow file; `file` names it in problems and decides between YAML and JSON. */
export function parseWorkflow(text: string, file: string, options: ParseOptions): LoadedWorkflow {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const collector = createProblemCollector(file, source);
  const { root, faults, usedParams, imported } = readWorkflowTree(source, file, options);
  for (const { error, range } of faults) collector.add(error, range);
  for (const { error, range, severity } of imported?.notes ?? [])
    collector.add(error, range, { severity });
  const read =
    root === undefined ? undefined : readTree({ root, text: source, file, options }, collector);
  const { definition, backendOrigins = new Map() } = read ?? {};
  const problems = collector.sorted();
  return {
    ...{ definition, problems, file, source, root, usedParams, backendOrigins },
    ...(imported === undefined ? {} : { imported }),
  };
}

function parseLocated(text: string, file: string, options: ParseOptions): LoadedWorkflow {
  const loaded = parseWorkflow(text, file, options);
  if (loaded.definition === undefined) return loaded;
  const escaping = findEscapingDirectories(loaded, options);
  if (escaping.length === 0) return loaded;
  return { ...loaded, definition: undefined, problems: [...loaded.problems, ...escaping] };
}

/** Ends the checks of a file that has as many problems as anybody reads. */
class EnoughProblems extends Error {}

function readTree(
  file: Pick<FileReading, "root" | "text" | "file"> & { readonly options: ParseOptions },
  collector: ProblemCollector,
): ReadWorkflow | undefined {
  const detected = detectShape(file.root, file.options);
  if (detected.status === "unreadable") {
    collector.add(detected.error, detected.range);
    return undefined;
  }
  const { shapes, converters } = file.options;
  const reading: FileReading = {
    ...file,
    report: (error, range, more) => {
      collector.add(error, range, more);
      if (collector.isFull) throw new EnoughProblems();
    },
    readOther: (text, name, options) =>
      parseLocated(text, name, { ...options, shapes, converters }),
    isOk: () => isOk(collector.sorted()),
  };
  try {
    return detected.shape.read(reading);
  } catch (error) {
    if (error instanceof EnoughProblems) return undefined;
    throw error;
  }
}

/** The kind of workflow that a file describes, or why it cannot be read as one. */
type DetectedShape =
  | { readonly status: "known"; readonly shape: ReadableShape }
  | { readonly status: "unreadable"; readonly error: TroupeError; readonly range: SourceRange };

/** Tells the shapes apart by their keys; the first that fits. */
function detectShape(root: MapNode, { shapes }: ParseOptions): DetectedShape {
  const shape = shapes.find((candidate) => candidate.fits(root));
  return shape === undefined ? unknown(root) : { status: "known", shape };
}

function unknown(root: MapNode): DetectedShape {
  const keys = [...root.entries.keys()];
  const key = keys.find((candidate) => nearestName(candidate, ["pattern"]) !== undefined);
  const [first] = root.entries.values();
  const entry = key === undefined ? first : root.entries.get(key);
  const range = entry?.keyRange ?? { start: root.start, end: root.start + 1 };
  return { status: "unreadable", error: shapeUnknown({ key }), range };
}
