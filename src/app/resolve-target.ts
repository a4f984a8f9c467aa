import { runNotFound } from "../journal/errors.ts";
import { runAmbiguous } from "./errors.ts";
import type { Machine } from "./machine.ts";
import { type ListedRun, listRuns } from "./run-index.ts";
import { resolveRun } from "./run-lookup.ts";

/** What a target names: a run, and in it an agent if the target names one. */
export interface Target {
  readonly run: string;
  readonly agent?: string;
}

// Whose agents are looked up among runs that are over; their journals are read for it once.
const MAX_SEARCHED_RUNS = 100;

/**
 * The run that a target names: its id or the beginning of one, `@last`, `@failed`, `@instance`, `agent`,
 * `agent@instance`; the name of a workflow may stand where an agent's does. Runs that are not over come first;
 * of those that are, the newest is meant. Raises RUN_NOT_FOUND, RUN_AMBIGUOUS.
 */
export function resolveTarget(machine: Machine, given: string): Target {
  const ids = machine.store.list();
  if (isOfId(given, ids)) return { run: resolveRun(machine.store, given) };
  const at = given.indexOf("@");
  const name = at < 0 ? given : given.slice(0, at);
  const instance = at < 0 ? undefined : given.slice(at + 1);
  const recent = new Set(ids.slice(0, MAX_SEARCHED_RUNS));
  const { runs } = listRuns(
    machine,
    ({ run, outcome }) => name !== "" && (outcome === null || recent.has(run)),
  );
  const found = runs.flatMap((run) => match(run, { name, instance }) ?? []);
  const live = found.filter(({ isOver }) => !isOver);
  if (live.length > 1) throw runAmbiguous({ given, matches: live.map(({ target }) => target.run) });
  const [best] = [...live, ...found];
  if (best !== undefined) return best.target;
  throw runNotFound({ run: given, known: [...ids, ...namesOf(runs)] });
}

/** Whether a text can only be meant as an id, or is the beginning of one. */
function isOfId(given: string, ids: readonly string[]): boolean {
  if (["", "@last", "@failed"].includes(given) || given.startsWith("run_")) return true;
  return ids.some((id) => id.startsWith(given) || id.startsWith(`run_${given}`));
}

interface Match {
  readonly target: Target;
  readonly isOver: boolean;
}

function match(
  run: ListedRun,
  wanted: { readonly name: string; readonly instance: string | undefined },
): Match | undefined {
  const { name, instance } = wanted;
  if (instance !== undefined && instance !== run.instance) return undefined;
  const isOver = run.outcome !== null;
  const target = { run: run.run };
  if (name === "") return { target, isOver };
  const agent = run.roster?.agents.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (agent !== undefined) return { target: { ...target, agent: agent.name }, isOver };
  return name === run.workflow ? { target, isOver } : undefined;
}

function namesOf(runs: readonly ListedRun[]): readonly string[] {
  const names = runs.flatMap(({ instance, roster, workflow }) => [
    `@${instance}`,
    workflow,
    ...(roster?.agents ?? []).map((agent) => agent.name),
  ]);
  return [...new Set(names)];
}
