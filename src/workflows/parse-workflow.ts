import type { PatternDefinition } from "../contracts/definition.ts";
import type { CheckContext } from "./checks/check-context.ts";
import { checkFile } from "./checks/check-file.ts";
import { isExplainedKey } from "./checks/check-supported.ts";
import { viewFile } from "./checks/file-view.ts";
import type { LoadOptions } from "./load-options.ts";
import type { Problem, ProblemCollector } from "./problems/problem.ts";
import { createProblemCollector, isOk } from "./problems/problem.ts";
import { backendOrigins } from "./resolve/backend-origins.ts";
import type { BackendOrigin } from "./resolve/resolve-backend.ts";
import { resolveDefinition } from "./resolve/resolve-definition.ts";
import { patternFileSchema } from "./schema/pattern-file-schema.ts";
import { schemaProblems } from "./schema/schema-problems.ts";
import { detectShape } from "./shape.ts";
import type { MapNode } from "./source/source-node.ts";
import { toValue } from "./source/source-node.ts";
import { readWorkflowTree } from "./workflow-tree.ts";

/** What a workflow file comes to. */
export interface LoadedWorkflow {
  /** Present when no problem is an error. */
  readonly definition: PatternDefinition | undefined;
  /** Everything that is wrong or doubtful, by position; at most 100. */
  readonly problems: readonly Problem[];
  /** The name of the file as it was given. */
  readonly file: string;
  /** Its text without a byte order mark. */
  readonly source: string;
  /** Given params that shaped its template; they are no params of the definition. */
  readonly usedParams: readonly string[];
  /** What decided on the backend of each agent of the definition. */
  readonly backendOrigins: ReadonlyMap<string, BackendOrigin>;
}

/** Reads the text of a workflow file; `file` names it in problems and decides between YAML and JSON. */
export function parseWorkflow(text: string, file: string, options: LoadOptions): LoadedWorkflow {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const collector = createProblemCollector(file, source);
  const { root, faults, usedParams } = readWorkflowTree(source, file, options);
  for (const { error, range } of faults) collector.add(error, range);
  const definition =
    root === undefined ? undefined : read(root, { source, file, collector }, options);
  const origins =
    root === undefined || definition === undefined
      ? new Map<string, BackendOrigin>()
      : backendOrigins(toValue(root), options);
  const problems = collector.sorted();
  return { definition, problems, file, source, usedParams, backendOrigins: origins };
}

interface Reading {
  readonly source: string;
  readonly file: string;
  readonly collector: ProblemCollector;
}

/** Ends the checks of a file that has as many problems as anybody reads. */
class EnoughProblems extends Error {}

function read(
  root: MapNode,
  { source, file, collector }: Reading,
  options: LoadOptions,
): PatternDefinition | undefined {
  const detected = detectShape(root);
  if (detected.shape === "unreadable") {
    collector.add(detected.error, detected.range);
    return undefined;
  }
  const context = contextOf(root, { source, file, collector }, options);
  const checked = withoutKeys(root, (key) => key.startsWith("x-") || isExplainedKey(key, context));
  check(checked, context);
  if (context.pattern === undefined || !isOk(collector.sorted())) return undefined;
  return resolveDefinition(toValue(checked), context.pattern, options);
}

function contextOf(
  root: MapNode,
  { source, collector }: Reading,
  options: LoadOptions,
): CheckContext {
  const view = viewFile(root);
  return {
    view,
    text: source,
    pattern: options.patterns.find(({ name }) => name === view.pattern),
    options,
    report: (error, range, more) => {
      collector.add(error, range, more);
      if (collector.isFull) throw new EnoughProblems();
    },
  };
}

function check(root: MapNode, context: CheckContext): void {
  try {
    const schema = patternFileSchema(context.options);
    for (const { error, range } of schemaProblems(schema, root)) context.report(error, range);
    checkFile(context);
  } catch (error) {
    if (!(error instanceof EnoughProblems)) throw error;
  }
}

function withoutKeys(root: MapNode, isLeftOut: (key: string) => boolean): MapNode {
  return { ...root, entries: new Map([...root.entries].filter(([key]) => !isLeftOut(key))) };
}
