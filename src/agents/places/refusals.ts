import type { PlaceBreach } from "../../contracts/events/place-events.ts";
import type { ReachRefusal } from "../../contracts/host.ts";

/** What confined agents were kept from and nobody was told yet. */
export interface Refusals {
  add(agent: string, refusal: ReachRefusal): void;
  /** What is new since the last time; each place once per agent, the first hundred of them. */
  take(agent: string): readonly PlaceBreach[];
}

const MOST_KEPT = 100;

/** Nothing yet. */
export function createRefusals(): Refusals {
  const known = new Map<string, Set<string>>();
  const fresh = new Map<string, PlaceBreach[]>();
  return {
    add: (agent, { target, reason }) => {
      const places = known.get(agent) ?? new Set();
      if (places.has(target) || places.size >= MOST_KEPT) return;
      known.set(agent, places.add(target));
      const breach: PlaceBreach = { rule: "network", path: target, reason };
      fresh.set(agent, [...(fresh.get(agent) ?? []), breach]);
    },
    take: (agent) => {
      const taken = fresh.get(agent) ?? [];
      fresh.delete(agent);
      return taken;
    },
  };
}
