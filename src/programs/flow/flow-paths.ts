import type { StepsDefinition } from "../../contracts/definition.ts";
import type { FlowStep } from "../../contracts/flow-step.ts";
import { type ReferenceParts, referencesOf } from "./references.ts";

/** One way through a workflow, from a step that nothing leads to. */
export interface FlowPath {
  /** Id of its first step. */
  readonly start: string;
  /** Starts of the paths that must be over before it begins. */
  readonly after: readonly string[];
}

/**
 * The ways through a workflow that are followed side by side (STP-13): only the first step's, unless the workflow
 * is `parallel`. Then every step that no route leads to begins one, after those whose data it looks at. Paths that
 * wait for each other do not wait; loading refuses them.
 */
export function pathsOf(
  definition: StepsDefinition,
  parts: Omit<ReferenceParts, "definition">,
): readonly FlowPath[] {
  return withoutCycles(waitingPaths(definition, parts));
}

/** The same ways as they are written: some may wait for each other. */
export function waitingPaths(
  definition: StepsDefinition,
  parts: Omit<ReferenceParts, "definition">,
): readonly FlowPath[] {
  const { steps } = definition;
  const [first] = steps;
  if (first === undefined) return [];
  if (!definition.parallel) return [{ start: first.id, after: [] }];
  const targets = new Set(steps.flatMap(({ routes }) => Object.values(routes)));
  const free = steps.filter(({ id }) => !targets.has(id));
  const starts = free.length === 0 ? [first] : free;
  const byId = new Map(steps.map((step) => [step.id, step]));
  const owners = new Map<string, string>();
  const members = new Map<string, readonly FlowStep[]>();
  for (const { id } of starts) {
    const reached = reach(id, byId);
    members.set(id, reached);
    for (const step of reached)
      for (const name of namesOf(step)) owners.set(name, owners.get(name) ?? id);
  }
  return starts.map(({ id }) => {
    const seen = (members.get(id) ?? []).flatMap(
      (step) => referencesOf(step, { ...parts, definition }).names,
    );
    const after = new Set(seen.flatMap((name) => owners.get(name) ?? []));
    after.delete(id);
    return { start: id, after: [...after] };
  });
}

/** The steps that a path may come to, from its start on. */
function reach(start: string, byId: ReadonlyMap<string, FlowStep>): readonly FlowStep[] {
  const reached = new Map<string, FlowStep>();
  const open = [start];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const step = byId.get(id);
    if (step === undefined || reached.has(id)) continue;
    reached.set(id, step);
    open.push(...Object.values(step.routes));
  }
  return [...reached.values()];
}

/** Names under which the data of a step and of those inside of it is found. */
function namesOf(step: FlowStep): readonly string[] {
  return [
    step.id,
    ...(step.output === undefined ? [] : [step.output]),
    ...step.steps.flatMap(namesOf),
  ];
}

/** Begins paths in an order in which each comes after those that it waits for; what closes a cycle waits for none. */
function withoutCycles(paths: readonly FlowPath[]): readonly FlowPath[] {
  const byStart = new Map(paths.map((path) => [path.start, path]));
  const ordered = new Map<string, FlowPath>();
  const visit = (path: FlowPath, open: ReadonlySet<string>) => {
    if (ordered.has(path.start)) return;
    const inside = new Set(open).add(path.start);
    const after = path.after.filter((start) => !inside.has(start));
    for (const start of after) {
      const before = byStart.get(start);
      if (before !== undefined) visit(before, inside);
    }
    if (!ordered.has(path.start)) ordered.set(path.start, { start: path.start, after });
  };
  for (const path of paths) visit(path, new Set());
  return [...ordered.values()];
}
