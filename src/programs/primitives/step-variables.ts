import type { PatternDefinition } from "../../contracts/definition.ts";
import { hasOneLanguage } from "../../contracts/definition-format.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { MatrixValues } from "../../contracts/step.ts";
import type { Json } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import {
  evaluateCondition,
  type PathResolver,
  toPathResolver,
} from "../language/expressions/evaluate.ts";
import { parseExpression } from "../language/expressions/parse-expression.ts";
import { expressionPaths } from "../language/expressions/syntax.ts";
import { valueAt } from "../language/member-of.ts";
import {
  asksGitFor,
  factAt,
  factInText,
  isStandingName,
  MATRIX_MEMBER,
  SAID_MEMBERS,
  STEP_PATHS,
  type StandingName,
  standingNames,
} from "../language/pattern-names.ts";
import type { FilledText } from "../language/templates/filled-text.ts";
import { renderCommand } from "../language/templates/render-command.ts";
import {
  fillTemplate,
  renderTemplate,
  type VariableLookup,
} from "../language/templates/render-template.ts";
import {
  parseTemplate,
  type Template,
  type TemplateVariable,
  templateVariables,
} from "../language/templates/template.ts";
import { type PlaceOfWork, placeAt } from "../step/gates/work-place.ts";
import type { CheckScope } from "../step/verification.ts";
import { type StepResult, type StepResults, stepFacts } from "./step-results.ts";

/** What templates and conditions of a run can see. */
export interface VariableSources {
  readonly context: Context;
  readonly definition: PatternDefinition;
  readonly results: StepResults;
  /** The variables of an instance of a matrix. */
  readonly matrix?: MatrixValues;
  /** The work that the texts are for. Absent: what is told before anybody works, from where the run was started. */
  readonly work?: WorkOfTurn;
}

/** Work whose texts are filled in. */
export interface WorkOfTurn {
  readonly place: PlaceOfWork;
  /** Agents whose work this goes on from: what they did in worktrees is told with the diff. */
  readonly builtOn: readonly string[];
}

/** A lookup for one template; asks git only if the template does. */
export async function prepareLookup(
  sources: VariableSources,
  templates: readonly Template[],
): Promise<VariableLookup> {
  const git = asksGit(templates) ? await readGit(sources) : NO_GIT;
  const find = (variable: TemplateVariable) => findVariable(sources, git, variable.segments);
  return Object.defineProperty(find, "known", { get: () => knownNames(sources) });
}

/** Whether a text says anything of git. */
export function usesGit(text: string | undefined): boolean {
  return text !== undefined && asksGit([parseTemplate(text)]);
}

function asksGit(templates: readonly Template[]): boolean {
  return templates.some((template) =>
    templateVariables(template).some(({ segments }) => asksGitFor(segments)),
  );
}

/** The checks of a pattern's step see what its prompt sees. */
export function checkScope(sources: VariableSources): CheckScope {
  return {
    context: sources.context,
    text: async (text) => {
      const template = parseTemplate(text);
      return renderTemplate(template, await prepareLookup(sources, [template]));
    },
    command: async (command) => {
      const parts = typeof command === "string" ? [command] : command;
      const templates = parts.map((part) => parseTemplate(part));
      return renderCommand(command, await prepareLookup(sources, templates));
    },
  };
}

/** What a step asks for. */
export interface Task {
  /** As it is, for programs. */
  readonly task: string;
  /** For agents that read: what another agent, a program or the repository says has its source. */
  readonly told: FilledText;
}

/** The task of a step: its prompt filled in, else what the pattern is to do. Raises WORKFLOW_UNKNOWN_VARIABLE. */
export async function fillTask(
  sources: VariableSources,
  prompt: string | undefined,
): Promise<Task> {
  const { within, description = "" } = sources.definition;
  if (prompt === undefined) {
    const task = taskOf(sources) ?? description;
    return { task, told: within?.told ?? [{ text: task }] };
  }
  const template = parseTemplate(prompt);
  const lookup = await prepareLookup(sources, [template]);
  const told = fillTemplate(template, lookup, ({ segments }) => sourceOf(sources, segments));
  return { task: renderTemplate(template, lookup), told };
}

function sourceOf(
  { context, definition: { within } }: VariableSources,
  [root, first, second = ""]: readonly string[],
): string | FilledText | undefined {
  if (root === "steps" && SAID_MEMBERS.has(second)) return `${second} of step "${first}"`;
  if (root === "git" && first === "diff") return "git diff";
  if (root !== "task") return undefined;
  if (within !== undefined) return within.told;
  return context.run.isChild ? "task from the workflow that runs this one" : undefined;
}

/** What a pattern is to do: what the run is, unless it is a part of a larger one. */
function taskOf({
  context,
  definition,
}: Pick<VariableSources, "context" | "definition">): string | undefined {
  return definition.within?.task ?? context.run.task;
}

/**
 * Whether a step's `when` holds: it sees what templates see. A promise only where git has to be asked. Raises, or rejects
 * with, EXPRESSION_* errors.
 */
export function evaluateWhen(sources: VariableSources, when: string): boolean | Promise<boolean> {
  const expression = parseExpression(when);
  const paths = expressionPaths(expression).map(({ segments }) => segments);
  const values = valuesAt(sources, paths);
  // Conditions of runs of format 1 knew neither the id, the agents nor git, and a replay decides as they did.
  if (!hasOneLanguage(sources.definition)) return evaluateCondition(expression, values);
  const all = { ...values, id: sources.context.run.id, agents: agentsAt(sources, paths) };
  if (!paths.some(asksGitFor)) return evaluateCondition(expression, withFacts(sources, all));
  return readGit(sources).then((git) =>
    evaluateCondition(expression, withFacts(sources, { ...all, git })),
  );
}

/** The same values with all that is known of the steps that are over. */
function withFacts(
  { results }: VariableSources,
  values: { readonly [root: string]: Json },
): PathResolver {
  const paths = toPathResolver(values);
  return {
    ...paths,
    resolve: (segments) => {
      const value = paths.resolve(segments);
      const [root, id = "", ...members] = segments;
      const result = root === "steps" ? results.get(id) : undefined;
      if (result === undefined || members[0] === MATRIX_MEMBER) return value;
      return factAt(stepFacts(result), members);
    },
    keysAt: (segments) =>
      segments[0] === "steps" && segments.length === 2 ? STEP_PATHS : paths.keysAt(segments),
  };
}

/** The values that these paths begin with, as the objects that an expression goes through. */
function valuesAt(
  sources: VariableSources,
  paths: readonly (readonly string[])[],
): { readonly [root: string]: Json } {
  const steps: { [id: string]: Json } = {};
  for (const [root, id = ""] of paths) {
    const result = sources.results.get(id);
    if (root === "steps" && result !== undefined) steps[id] = toExpressionValue(result);
  }
  const { params } = sources.context.run;
  const task = taskOf(sources);
  return { steps, params, matrix: { ...sources.matrix }, ...present({ task }) };
}

function agentsAt({ definition }: VariableSources, paths: readonly (readonly string[])[]): Json {
  const agents: { [id: string]: Json } = {};
  for (const [root, id] of paths) {
    const name = root === "agents" ? nameOf(definition, id) : undefined;
    if (id !== undefined && name !== undefined) agents[id] = { name };
  }
  return agents;
}

type GitValues = {
  readonly diff: string;
  readonly branch: string;
};

/** What git says where the work is done, and what others left in worktrees for it. */
function readGit({ context, work }: VariableSources): Promise<GitValues> {
  const { place = placeAt(context.run.cwd), builtOn = [] } = work ?? {};
  return context.step("git", async (call) => {
    const { host, workPlaces } = call;
    const own = await place.find(call);
    const diffs = [(await host.git.diff(own.cwd, own.worktree?.base)) ?? ""];
    for (const agent of new Set(builtOn)) {
      const { cwd, worktree } = (await workPlaces.given(agent)) ?? {};
      if (cwd === undefined || worktree === undefined || worktree.path === own.worktree?.path)
        continue;
      const diff = await host.git.diff(cwd, worktree.base);
      // Nothing of the run may stand here, or no later run could take over what was made of this; and `git apply` takes
      // no notice of a line before a patch.
      if (diff) diffs.push(`# changes by ${agent}, in its worktree\n${diff}`);
    }
    const diff = diffs.filter((part) => part !== "").join("\n");
    return { diff, branch: (await host.git.branch(own.cwd)) ?? "" };
  });
}

const NO_GIT: GitValues = { diff: "", branch: "" };

/** The value of each standing name; undefined where the run has none. */
const STANDING_VALUES: {
  readonly [name in StandingName]: (sources: VariableSources, git: GitValues) => string | undefined;
} = {
  task: taskOf,
  id: ({ context }) => context.run.id,
  "git.diff": (_sources, { diff }) => diff,
  "git.branch": (_sources, { branch }) => branch,
};

function findVariable(
  sources: VariableSources,
  git: GitValues,
  segments: readonly string[],
): string | undefined {
  const path = segments.join(".");
  if (isStandingName(path)) return STANDING_VALUES[path](sources, git);
  const [root, first = "", second = ""] = segments;
  switch (root) {
    case "params":
      return textIn(sources.context.run.params, first);
    case "matrix":
      return textIn({ ...sources.matrix }, first);
    case "agents":
      return second === "name" ? nameOf(sources.definition, first) : undefined;
    case "steps":
      return stepVariable(sources, first, segments.slice(2));
    default:
      return undefined;
  }
}

function textIn(values: { readonly [name: string]: Json }, name: string): string | undefined {
  return Object.hasOwn(values, name) ? toText(values[name]) : undefined;
}

function nameOf(definition: PatternDefinition, id: string | undefined): string | undefined {
  const agent = definition.agents.find((candidate) => candidate.id === id);
  return agent === undefined ? undefined : (agent.name ?? agent.id);
}

function stepVariable(
  { definition, results }: VariableSources,
  id: string,
  members: readonly string[],
): string | undefined {
  const result = results.get(id);
  if (result === undefined || members.length === 0) return undefined;
  const isOfMatrix = members[0] === MATRIX_MEMBER;
  const value =
    hasOneLanguage(definition) && !isOfMatrix
      ? factInText(stepFacts(result), members)
      : valueAt(toExpressionValue(result), members);
  if (value === undefined) return isOfMatrix ? "[]" : undefined;
  return toText(value);
}

/** A step as conditions and texts of runs of format 1 see it, and the results of a matrix. */
function toExpressionValue(result: StepResult): Json {
  if (result.status === "completed") {
    const { status, output, text, reason, durationMs, attempts, results } = result;
    return { status, output, text, outcome: reason, durationMs, attempts, ...present({ results }) };
  }
  const nothing = { output: "", text: "", outcome: "", durationMs: 0, attempts: 0 };
  if (result.status !== "failed") return { status: result.status, ...nothing };
  return {
    ...nothing,
    status: result.status,
    durationMs: result.durationMs,
    attempts: result.attempts,
    ...present({ results: result.results }),
  };
}

function toText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function knownNames({ context, definition, results, matrix }: VariableSources): readonly string[] {
  return [
    ...standingNames,
    ...Object.keys(matrix ?? {}).map((name) => `matrix.${name}`),
    ...Object.keys(context.run.params).map((name) => `params.${name}`),
    ...definition.agents.map((agent) => `agents.${agent.id}.name`),
    ...[...results.keys()].map((id) => `steps.${id}.output`),
  ];
}
