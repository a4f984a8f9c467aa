import type { PatternFunctionName } from "../../contracts/pattern-functions.ts";
import { present } from "../../foundation/present.ts";
import { escapeTemplate } from "../language/templates/template.ts";
import type { PoolChild } from "../primitives/pool-generations.ts";
import { fillTask } from "../primitives/step-variables.ts";
import { askEach } from "./ask-function.ts";
import type { Talk } from "./talk.ts";

/** What the members of a pool do. */
export interface TaskRules {
  /** Template of what the first generation does. */
  readonly task: string;
  /** What makes the task of a child of that of its parent; undefined: they are the same. */
  readonly mutate: string | undefined;
  /** Functions that decide in place of the block. */
  readonly functions: readonly PatternFunctionName[];
}

/** Members that have a task. */
interface Parent {
  readonly name: string;
  /** Template of its task. */
  readonly task: string;
}

/** Those that are born, and those that lived before them. */
interface Births {
  readonly children: readonly PoolChild[];
  readonly parents: readonly Parent[];
}

/** Templates of the tasks of children, by their names. Raises PATTERN_FUNCTION_BROKEN. */
export async function makeTasks(
  talk: Pick<Talk, "context" | "definition" | "team">,
  rules: TaskRules,
  { children, parents }: Births,
): Promise<ReadonlyMap<string, string>> {
  const [bred, others] = [
    children.filter((child) => parentsOf(child, parents).length > 0),
    children.filter((child) => parentsOf(child, parents).length === 0),
  ];
  const own = others.map(({ name, task = rules.task }) => [name, task] as const);
  const made = rules.functions.includes("mutateTask")
    ? await mutateAll(talk, { children: bred, parents })
    : bred.map((child) => [child.name, mutated(rules, child, parents)] as const);
  return new Map([...own, ...made]);
}

/** The parents of a child, the first one leading. */
export function parentsOf<Each extends { readonly name: string }>(
  { parents: names }: PoolChild,
  living: readonly Each[],
): readonly Each[] {
  return names.flatMap((name) => living.find((parent) => parent.name === name) ?? []);
}

function mutated(
  { task, mutate }: TaskRules,
  child: PoolChild,
  parents: readonly Parent[],
): string {
  const { task: before = task } = parentsOf(child, parents)[0] ?? {};
  if (mutate === undefined) return before;
  return mutate
    .replace(/\{\{\s*generation\s*\}\}/g, () => String(child.generation))
    .replace(/\{\{\s*parent\s*\}\}/g, () => before);
}

/** What a function makes of the task of each parent, which it is told as its agent was. */
async function mutateAll(
  { context, definition, team }: Pick<Talk, "context" | "definition" | "team">,
  { children, parents }: Births,
): Promise<readonly (readonly [string, string])[]> {
  const given: { readonly task: string; readonly generation: number }[] = [];
  for (const child of children) {
    const [parent] = parentsOf(child, parents);
    const work = parent && { place: team.place(parent.name), builtOn: [] };
    const sources = { context, definition, results: new Map(), ...present({ work }) };
    const { task } = await fillTask(sources, parent?.task);
    given.push({ task, generation: child.generation });
  }
  const tasks = await askEach(context, given, {
    name: "mutateTask",
    ask: (mutate, { task, generation }) => mutate(task, generation),
    read: (made) => (typeof made === "string" && made.trim() !== "" ? made : undefined),
    expected: "a text",
  });
  return children.map(({ name }, index) => [name, escapeTemplate(tasks[index] ?? "")] as const);
}
