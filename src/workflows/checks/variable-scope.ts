import type { TroupeError } from "../../foundation/errors.ts";
import {
  asksGitFor,
  MATRIX_MEMBER,
  RESULT_MEMBERS,
  STEP_PATHS,
  standingNames,
} from "../../programs/language/pattern-names.ts";
import type { StepOrder } from "../../programs/primitives/step-order.ts";
import { entryOf } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { matrixNames } from "./check-matrix.ts";
import { notUpstream, unknownStep } from "./errors.ts";
import { idsOf, type LocatedItem, MAX_NEAR_NAMES, nearIds, textsAt } from "./file-view.ts";

/** Which variables have a value at a place of the file. */
export interface VariableScope {
  /** Names for hints. */
  known(): readonly string[];
  /** What is wrong with a variable; `unknown` builds the error for one that exists nowhere. */
  problemOf(
    segments: readonly string[],
    shown: string,
    unknown: () => TroupeError,
  ): TroupeError | undefined;
}

/** The scopes of the places of a pattern file. */
export interface Scopes {
  /** Where only the run's id is known. */
  readonly channel: VariableScope;
  /** What is known when agents start. */
  readonly start: VariableScope;
  /** What is known when agents get their names. */
  readonly agentName: VariableScope;
  step(step: LocatedItem): StepScopes;
}

/** What is known in a step. */
interface StepScopes {
  readonly seen: VariableScope;
  /** Where it is undone: the step itself is over. */
  readonly undoing: VariableScope;
}

/** The scopes of this file. */
export function createScopes(context: CheckContext): Scopes {
  const { view, order } = context;
  const upstream = createUpstream(context);
  const fixed = new Set([
    ...standingNames,
    ...idsOf(view.params).map((name) => `params.${name}`),
    ...idsOf(view.agents).map((id) => `agents.${id}.name`),
  ]);
  const stepIds = new Set(view.steps.map(({ id }) => id));
  const withMatrix = new Set(
    view.steps.flatMap(({ id, node }) => (entryOf(node, "matrix") === undefined ? [] : [id])),
  );
  const moreOf = (id: string) => (withMatrix.has(id) ? [MATRIX_MEMBER] : []);
  const atStep = (
    step: LocatedItem,
    isOver: (id: string) => boolean = (id) => upstream.isBefore(id, step),
  ): VariableScope => ({
    known: () => [
      ...matrixNames(step).map((name) => `matrix.${name}`),
      ...[...fixed].slice(0, MAX_NEAR_NAMES),
      ...nearIds(view.steps)
        .filter(isOver)
        .flatMap((id) => [...STEP_PATHS, ...moreOf(id)].map((path) => `steps.${id}.${path}`)),
    ],
    problemOf: (segments, shown, unknown) => {
      const [root, id, ...members] = segments;
      if (root === "matrix" && segments.length === 2 && matrixNames(step).includes(id ?? ""))
        return undefined;
      if (root !== "steps" || id === undefined)
        return fixed.has(segments.join(".")) ? undefined : unknown();
      if (!stepIds.has(id))
        return unknownStep({ who: `${shown} names step`, step: id, known: nearIds(view.steps) });
      if (!isOver(id))
        return notUpstream({ variable: shown, step: id, ...reason(id, step, order) });
      const isOfInstance = isInResults(segments);
      if (isOfInstance && withMatrix.has(id)) return undefined;
      return [...STEP_PATHS, ...moreOf(id)].includes(members.join(".")) ? undefined : unknown();
    },
  });
  return {
    channel: fixedScope(new Set(["id"]), "the channel has its name before anything starts"),
    agentName: fixedScope(
      new Set([...fixed].filter((name) => !asksGitFor(name.split(".")))),
      "an agent has its name before anything starts",
    ),
    start: fixedScope(fixed, "an agent is set up before any step is done"),
    step: (step) => ({
      seen: atStep(step),
      undoing: atStep(step, (id) => id === step.id || upstream.isBefore(id, step)),
    }),
  };
}

/** `steps.ID.results[0].status`, and what lies below. */
function isInResults([, , member, index, key]: readonly string[]): boolean {
  if (member !== MATRIX_MEMBER || index === undefined || !/^\d+$/.test(index)) return false;
  return key === undefined || RESULT_MEMBERS.has(key);
}

function fixedScope(names: ReadonlySet<string>, why: string): VariableScope {
  return {
    known: () => [...names].slice(0, MAX_NEAR_NAMES),
    problemOf: (segments, shown, unknown) => {
      if (names.has(segments.join("."))) return undefined;
      const [root, id] = segments;
      if (root !== "steps" || id === undefined) return unknown();
      const hint = "use it in the prompt of a step";
      return notUpstream({ variable: shown, step: id, problem: `but ${why}`, hint });
    },
  };
}

function reason(
  id: string,
  step: LocatedItem,
  order: StepOrder | undefined,
): { readonly problem: string; readonly hint: string } {
  if (id === step.id) return { problem: "which is this step itself", hint: "name an earlier step" };
  if (order === "list")
    return { problem: "which comes later in the list", hint: `move "${id}" before this step` };
  return { problem: "which this step does not wait for", hint: `add dependsOn: [${id}]` };
}

/** Says which steps are certainly over when a step starts. */
interface Upstream {
  isBefore(earlier: string, step: LocatedItem): boolean;
}

/** The order that a pattern gives to the steps of a file. Barriers end no step, so nothing is passed through them. */
function createUpstream({ view, order }: CheckContext): Upstream {
  const steps = new Map(view.steps.map((step, index) => [step.id, { step, index }]));
  const positions = new Map(view.steps.map((step, index) => [step, index]));
  const known = new Map<LocatedItem, ReadonlySet<string>>();
  const ancestors = (step: LocatedItem): ReadonlySet<string> => {
    const found = new Set<string>();
    const waiting = [step];
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
      for (const { text } of textsAt(item.node, "dependsOn")) {
        const earlier = steps.get(text);
        if (earlier === undefined || found.has(text)) continue;
        found.add(text);
        waiting.push(earlier.step);
      }
    }
    return found;
  };
  return {
    isBefore: (earlier, step) => {
      if (order === "list")
        return (steps.get(earlier)?.index ?? Infinity) < (positions.get(step) ?? -1);
      const before = known.get(step) ?? ancestors(step);
      known.set(step, before);
      return before.has(earlier);
    },
  };
}
