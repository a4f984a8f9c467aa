import type { StigmergySpec } from "../../contracts/stigmergy.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { parseDeposit } from "../../signals/signal-forms.ts";
import { Trail } from "./trail.ts";

/** The marks of a place in a run, as they are at its latest event: they follow from its journal alone. */
export function trailOf(
  { deposits, lastAt }: Pick<RunState, "deposits" | "lastAt">,
  rules: StigmergySpec,
  namespace: string = rules.namespace,
): { readonly trail: Trail; readonly nowMs: number } {
  const trail = new Trail(rules);
  for (const { agent, at: atMs, value: written } of deposits) {
    const given = parseDeposit(written);
    if ("refused" in given || (given.namespace ?? rules.namespace) !== namespace) continue;
    trail.deposit({ key: given.key, value: given.amount, agent, atMs });
  }
  return { trail, nowMs: lastAt };
}
