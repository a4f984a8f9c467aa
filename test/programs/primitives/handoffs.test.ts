import { expect, test } from "vitest";
import { loopsIn, type Routing, receiverOf } from "../../../src/programs/primitives/handoffs.ts";

const routing: Routing = {
  entry: "a",
  fallback: "d",
  routes: [{ agent: "b", condition: "money" }, { agent: "c" }],
  maxHandoffs: 5,
};

test.each([
  ["a", "B", [], { to: "b", by: "signal" }],
  ["b", "a", [], { to: "a", by: "signal" }],
  ["b", "x", [], { to: "d", by: "fallback" }],
  ["b", "b", [], { to: "d", by: "fallback" }],
  ["b", "c", ["c"], { to: "d", by: "fallback" }],
  ["b", "x", ["d"], { to: "a", by: "return" }],
  ["b", "x", ["d", "a"], { to: "b", by: "return" }],
])(
  "what %s hands to %s while %j have left goes to %j [PRM-handoff, PAT-handoff-2.unknown]",
  (...[from, to, left, expected]) => {
    const isIn = (agent: string) => !left.includes(agent);
    expect(receiverOf(routing, { from, to, by: "signal", isIn })).toEqual(expected);
  },
);

test.each([
  ["abab", ["a-b-a-b"]],
  ["aba", []],
  ["cababa", ["a-b-a-b-a"]],
  ["ababcbcb", ["a-b-a-b", "b-c-b-c-b"]],
  ["aaaa", []],
  ["abba", []],
  ["abcabc", []],
])("two agents that hand a task back and forth are named: %s [PRM-handoff]", (path, loops) => {
  expect(loopsIn([...path])).toEqual(loops);
});
