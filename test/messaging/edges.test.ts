import { expect, test } from "vitest";
import type { AgentSpec } from "../../src/contracts/agent.ts";
import type { EventData } from "../../src/contracts/events/event.ts";
import { foldAll } from "../../src/fold/fold.ts";
import type { RunState } from "../../src/fold/state/run-state.ts";
import { assertMayWrite, mayWriteTo, standInFor } from "../../src/messaging/edges.ts";
import { created, journal, spawned, turnCompleted, turnStarted } from "../fold/journal-builder.ts";

/** A run of agents with what is said of each, some of them gone. */
function runOf(
  agents: { readonly [id: string]: Partial<AgentSpec> },
  gone: readonly string[] = [],
): RunState {
  const declared = Object.entries(agents).map(([id, spec]): EventData => {
    return {
      type: "agent-spawned",
      agent: id,
      backend: "script",
      spec: { id, backend: "script", ...spec },
    };
  });
  const exited = gone.map(
    (agent): EventData => ({ type: "agent-exited", agent, reason: "released" }),
  );
  return foldAll("run_a", journal([created, ...declared, ...exited]));
}

/** To whom of some an agent may write. */
function reached(state: RunState, from: string, names: readonly string[]): readonly string[] {
  return names.filter((to) => mayWriteTo(state, from, to));
}

test("an agent without bounds, a person and Troupe may write to all [PAT-edges.refused]", () => {
  const state = runOf({ free: {}, bound: { writesTo: [] } });
  for (const from of ["free", "user", "system"])
    expect(reached(state, from, ["bound", "user", "human", "nobody"])).toHaveLength(4);
});

test("one with bounds reaches those that it may write to, in any case, and nobody else", () => {
  const state = runOf({ a: { writesTo: ["b", "#"] }, b: {}, c: {} });
  expect(reached(state, "a", ["b", "B", "c", "a", "user", "Human"])).toEqual(["b", "B"]);
  expect(reached(state, "A", ["c"])).toEqual([]);
  expect(reached(state, "b", ["a", "c"])).toEqual(["a", "c"]);
  // Who is none of the run's is refused elsewhere, by a name that nobody has.
  expect(mayWriteTo(state, "a", "nobody")).toBe(true);
});

test("a person is one place, whatever the person is called", () => {
  const state = runOf({ a: { writesTo: ["user"] }, b: {} });
  expect(reached(state, "a", ["user", "USER", "human", "b"])).toEqual(["user", "USER", "human"]);
});

test("who asked for an agent and that agent may always write to each other", () => {
  const state = runOf({
    parent: { writesTo: [] },
    child: { writesTo: [], spawnedBy: "parent" },
    grandchild: { writesTo: [], spawnedBy: "child" },
  });
  const all = ["parent", "child", "grandchild"];
  expect(all.map((from) => reached(state, from, all))).toEqual([
    ["child"],
    ["parent", "grandchild"],
    ["child"],
  ]);
});

test("so may an agent and whoever it reports to, also when that one stands in for somebody gone", () => {
  const agents = {
    top: { writesTo: [] },
    middle: { writesTo: [], reportsTo: "top" },
    worker: { writesTo: [], reportsTo: "middle" },
  };
  const all = ["top", "middle", "worker"];
  const reach = (gone: readonly string[]) => {
    const state = runOf(agents, gone);
    return all.map((from) => reached(state, from, all));
  };
  expect(reach([])).toEqual([["middle"], ["top", "worker"], ["middle"]]);
  expect(reach(["middle"])).toEqual([["middle", "worker"], ["top"], ["top"]]);
});

test("what is meant for somebody gone goes to whoever that one reported to, as far up as need be", () => {
  const agents = { top: {}, middle: { reportsTo: "top" }, worker: { reportsTo: "middle" } };
  const stand = (gone: readonly string[]) => standInFor(runOf(agents, gone), "worker");
  expect([stand([]), stand(["worker"]), stand(["worker", "middle"])]).toEqual([
    "worker",
    "middle",
    "top",
  ]);
  expect(stand(["worker", "middle", "top"])).toBe("top");
  expect(standInFor(runOf({}), "nobody")).toBe("nobody");
  expect(standInFor(runOf({ a: { reportsTo: "nobody" } }, ["a"]), "a")).toBe("a");
  const circle = runOf({ a: { reportsTo: "b" }, b: { reportsTo: "a" } }, ["a", "b"]);
  expect(["a", "b"]).toContain(standInFor(circle, "a"));
});

test("a message to somebody that its author may not write to is refused with where to write [PAT-edges.refused]", () => {
  const state = runOf({
    a: { writesTo: ["b", "user", "#"] },
    b: {},
    c: {},
    mute: { writesTo: [] },
    direct: { writesTo: ["b"] },
  });
  const refused = (from: string, to: readonly string[] | undefined) => {
    try {
      assertMayWrite(state, from, to);
    } catch (error) {
      return error;
    }
    return undefined;
  };
  for (const to of [["b"], ["b", "user"], [], undefined]) expect(refused("a", to)).toBeUndefined();
  expect(refused("b", ["c"])).toBeUndefined();
  expect(refused("direct", ["b"])).toBeUndefined();
  expect(refused("direct", undefined)).toMatchObject({ hint: "write to b instead" });
  expect(refused("a", ["b", "c"])).toMatchObject({
    code: "MESSAGE_NOT_PERMITTED",
    message: '"a" may not write to "c" in this pattern',
    hint: "write to b or user or the channel instead",
  });
  expect(refused("mute", undefined)).toMatchObject({
    message: '"mute" may not write to the channels in this pattern',
    hint: "say it in the answer that ends the turn",
  });
});

test("a turn that its pattern bounds is bound as long as it runs, and one that it does not is not", () => {
  const spec: AgentSpec = { id: "a", backend: "script", writesTo: ["c"] };
  const turnOf = (rights: { readonly [name: string]: readonly string[] }): readonly EventData[] => [
    { type: "operation-scheduled", op: "turn#1", kind: "turn", input: { agent: "a", rights } },
    turnStarted("a", 1, { ops: ["turn#1"] }),
  ];
  const reach = (...events: readonly EventData[]) => {
    const declared: EventData = { type: "agent-spawned", agent: "a", backend: "script", spec };
    const state = foldAll(
      "run_a",
      journal([created, declared, spawned("b"), spawned("c"), ...events]),
    );
    return reached(state, "a", ["b", "c"]);
  };
  expect(reach()).toEqual(["c"]);
  expect(reach(turnStarted("a", 1))).toEqual(["c"]);
  expect(reach(turnStarted("a", 2), ...turnOf({ writesTo: ["b"] }))).toEqual(["b"]);
  expect(reach(...turnOf({ writesTo: [] }))).toEqual([]);
  expect(reach(...turnOf({ signals: ["vote"] }))).toEqual(["c"]);
  expect(reach(...turnOf({ writesTo: ["b"] }), turnCompleted("a", 1))).toEqual(["c"]);
});
