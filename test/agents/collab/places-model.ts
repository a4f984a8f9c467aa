import { ok } from "node:assert/strict";
import fc from "fast-check";
import { createManualClock, settle } from "../../../src/testing/manual-clock.ts";
import { agent, runAgents } from "../agents-run.ts";
import { type Call, castBackend, type Part } from "./collab-run.ts";

// However few places for turns there are, a lead that spawns, tells, waits and closes comes to its end without
// any time passing: nothing that it waits for waits for the place that it holds itself.

type Deed =
  | { readonly kind: "spawn" }
  | { readonly kind: "send" | "close"; readonly to: number }
  | { readonly kind: "wait"; readonly mode: "all" | "any" }
  | { readonly kind: "waits"; readonly ids: readonly number[] };

/** What a lead does, and how many turns may run at the same time. */
export interface PlacesCase {
  readonly places: number;
  readonly deeds: readonly Deed[];
}

const index = fc.nat({ max: 4 });

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: "spawn" } as const) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("send" as const, "close" as const), to: index }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      mode: fc.constantFrom("all" as const, "any" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("waits" as const),
      ids: fc.array(index, { minLength: 2, maxLength: 4 }),
    }),
  },
);

export const placesCases: fc.Arbitrary<PlacesCase> = fc.record({
  places: fc.integer({ min: 1, max: 2 }),
  deeds: fc.array(deed, { minLength: 1, maxLength: 12 }),
});

/** Leads a run through a case and sees that every turn ends and every place is given back. */
export async function checkPlaces({ places, deeds }: PlacesCase): Promise<void> {
  const lead: Part = async (call) => {
    for (const each of deeds) await act(each, call);
    return "done";
  };
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("lead", { session: "keep", spawns: true }));
      await context.turn("lead", "go");
      await context.spawn(agent("last"));
      return (await context.turn("last", "go")).text;
    },
    { backend: castBackend({ lead: [lead] }), clock: createManualClock(), hostConcurrency: places },
  );
  for (let round = 0; round < 50 && run.owned.state.phase.status !== "ended"; round += 1)
    await settle();
  const isOver = run.owned.state.phase.status === "ended";
  if (!isOver) run.owned.interrupt(130);
  ok(isOver, "the run came to its end");
  await run.over();
}

async function act(each: Deed, call: Call): Promise<void> {
  const { agents } = await call("list_agents");
  const ids = Array.isArray(agents)
    ? agents.map((one) => String(Reflect.get(Object(one), "id")))
    : [];
  const idAt = (at: number) => ids[at % Math.max(1, ids.length)] ?? "nobody";
  switch (each.kind) {
    case "spawn":
      return void (await call("spawn_agent", { prompt: "work" }));
    case "send":
      return void (await call("send_input", { id: idAt(each.to), prompt: "more" }));
    case "close":
      return void (await call("close_agent", { id: idAt(each.to) }));
    case "wait":
      return void (await call("wait", { mode: each.mode }));
    case "waits":
      return void (await Promise.all(each.ids.map((at) => call("wait", { ids: [idAt(at)] }))));
  }
}
