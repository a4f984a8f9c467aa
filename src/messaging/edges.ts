import { findAgent } from "../fold/state/agent-lookup.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { messageNotPermitted } from "./errors.ts";
import { PEOPLE } from "./mentions.ts";

/** The channels of a run among those that somebody may write to. */
const CHANNELS = "#";

/** A person among those that somebody may write to. */
const PERSON = "user";

// The one place that says who may write to whom. What a pattern allows stands in the declaration of each agent;
// people and Troupe may write to all. A turn may have narrower bounds, which then hold for all that its agent writes.

/** Whether `from` may write to an agent or a person directly, or by naming it. */
export function mayWriteTo(state: RunState, from: string, to: string): boolean {
  const sender = findAgent(state, from);
  const allowed = placesOf(sender);
  if (sender === undefined || allowed === undefined) return true;
  if (PEOPLE.has(to.toLowerCase())) return allowed.includes(PERSON);
  const reader = findAgent(state, to);
  if (reader === undefined) return true;
  const isFamily = reader.spec.spawnedBy === sender.id || sender.spec.spawnedBy === reader.id;
  return (
    isFamily ||
    allowed.includes(reader.id) ||
    isAbove(state, reader, sender) ||
    isAbove(state, sender, reader)
  );
}

/** Whether somebody stands in for the one that an agent reported to, who is gone. */
function isAbove(state: RunState, above: AgentState, { spec }: AgentState): boolean {
  const { reportsTo } = spec;
  return reportsTo !== undefined && standInFor(state, reportsTo) === above.id;
}

/** Who gets what is meant for an agent: itself, or once it is gone whoever it reported to. */
export function standInFor(state: RunState, id: string): string {
  let agent = findAgent(state, id);
  // A circle ends where it began.
  for (let left = state.agents.size; agent?.status === "exited" && left > 0; left -= 1) {
    const { reportsTo } = agent.spec;
    const above = reportsTo === undefined ? undefined : findAgent(state, reportsTo);
    if (above === undefined) break;
    agent = above;
  }
  return agent?.id ?? id;
}

/** Raises MESSAGE_NOT_PERMITTED unless the sender may write to all of them, or, without any, to channels. */
export function assertMayWrite(
  state: RunState,
  from: string,
  to: readonly string[] | undefined,
): void {
  const allowed = placesOf(findAgent(state, from));
  if (allowed === undefined) return;
  const refused = to?.find((reader) => !mayWriteTo(state, from, reader));
  const isMute = to === undefined && !allowed.includes(CHANNELS);
  if (refused === undefined && !isMute) return;
  const place = refused === undefined ? "the channels" : `"${refused}"`;
  throw messageNotPermitted({ from, to: place, instead: allowed.map(describePlace) });
}

function describePlace(place: string): string {
  return place === CHANNELS ? "the channel" : place;
}

function placesOf(sender: AgentState | undefined): readonly string[] | undefined {
  if (sender === undefined) return undefined;
  const bound = [...sender.turns.values()].find(({ rights }) => rights?.writesTo !== undefined);
  return (bound?.rights ?? sender.spec).writesTo;
}
