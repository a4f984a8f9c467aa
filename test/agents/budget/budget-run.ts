import type { EventOf } from "../../../src/contracts/events/event.ts";
import type { Context } from "../../../src/contracts/ports/context.ts";
import type { Usage } from "../../../src/contracts/usage.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { type AgentsRun, agent, playedBackend, said } from "../agents-run.ts";

/** How a run ended; one that was let go is an error. */
export async function endOf(run: AgentsRun): Promise<EventOf<"run-ended">> {
  const parting = await run.owned.parted;
  if (parting.status === "suspended") throw new Error(`let go: ${parting.event.reason}`);
  return parting.event;
}

/** A backend whose turns all tell the same use. */
export function using(usage: Usage, changes: Parameters<typeof playedBackend>[1] = {}) {
  return playedBackend(async function* ({ turn }) {
    yield { type: "usage", usage };
    yield said(`turn ${turn}`);
  }, changes);
}

/** A program that gives one agent turns, one after the other. */
export function turns(count: number, id = "a") {
  return async (context: Context): Promise<Json> => {
    await context.spawn(agent(id));
    const texts: string[] = [];
    for (let turn = 1; turn <= count; turn += 1) texts.push((await context.turn(id, "go")).text);
    return texts;
  };
}
