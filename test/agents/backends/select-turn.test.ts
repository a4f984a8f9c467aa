import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Cassette,
  cassetteSchema,
} from "../../../src/agents/backends/script/cassette-schema.ts";
import {
  cassetteCovers,
  listsOfCassette,
  listsOfScript,
  matchesGlob,
  selectTurn,
} from "../../../src/agents/backends/script/select-turn.ts";
import { processorMs } from "../../testing/processor-time.ts";

function cassetteOf(agents: object, rest: object = {}): Cassette {
  return cassetteSchema.parse({ version: 1, agents, ...rest });
}

const says = (...texts: string[]) => texts.map((say) => ({ say }));

function play(
  cassette: Cassette,
  agent: string,
  { step = "", before = {} }: { step?: string; before?: { [step: string]: number } } = {},
): string | undefined {
  const selected = selectTurn(listsOfCassette(cassette), { agent, step, turnsBefore: before });
  return selected.status === "turn" ? selected.turn.say : selected.status;
}

describe("the turn that a scripted agent plays", () => {
  test("comes from agent/step, else agent, else the longest pattern, else the default [AGT-4]", () => {
    const cassette = cassetteOf(
      {
        "worker-1/build": says("step"),
        "worker-1": says("agent"),
        "w*": says("short"),
        "worker-*": says("long"),
      },
      { default: says("default") },
    );
    expect(play(cassette, "worker-1", { step: "build" })).toBe("step");
    expect(play(cassette, "worker-1", { step: "test" })).toBe("agent");
    expect(play(cassette, "worker-2", { step: "build" })).toBe("long");
    expect(play(cassette, "wolf")).toBe("short");
    expect(play(cassette, "other")).toBe("default");
    expect(play(cassetteOf({ a: says("x") }), "other")).toBe("uncovered");
  });

  test("is found by the whole path of a step or by its id alone", () => {
    const cassette = cassetteOf({ "a/outer/unit": says("path"), "a/unit": says("id") });
    expect(play(cassette, "a", { step: "outer/unit" })).toBe("path");
    expect(play(cassette, "a", { step: "files[3]/unit" })).toBe("id");
    expect(play(cassette, "a", { step: "unit[2]" })).toBe("id");
  });

  test("is counted per list: a step's list by that step's turns, the agent's by all others [AGT-4]", () => {
    const cassette = cassetteOf({
      "a/build": says("build 1", "build 2"),
      a: says("one", "two", "three", "four"),
    });
    const before = { build: 1, test: 1, "": 1 };
    expect(play(cassette, "a", { step: "build", before })).toBe("build 2");
    expect(play(cassette, "a", { step: "test", before })).toBe("three");
    expect(play(cassette, "a", { before })).toBe("three");
  });

  test("is the same again for a turn that is started again", () => {
    const cassette = cassetteOf({ a: says("one", "two") });
    expect(play(cassette, "a", { step: "build", before: { build: 1 } })).toBe("two");
    expect(play(cassette, "a", { step: "build", before: { build: 1 } })).toBe("two");
  });

  test.each([
    ["last", "two"],
    ["cycle", "one"],
    ["fail", "exhausted"],
  ])("after the last of a list that repeats by %s is %s", (repeat, expected) => {
    const before = { "": 4 };
    expect(play(cassetteOf({ a: says("one", "two") }, { repeat }), "a", { before })).toBe(expected);
    const own = { a: { repeat, turns: says("one", "two") } };
    expect(play(cassetteOf(own, { repeat: "fail" }), "a", { before })).toBe(expected);
  });

  test("of an inline script follows all turns of the agent", () => {
    const lists = listsOfScript([
      { do: [], say: "one" },
      { do: [], say: "two" },
    ]);
    const selected = selectTurn(lists, { agent: "a", step: "x", turnsBefore: { y: 1 } });
    expect(selected).toMatchObject({
      status: "turn",
      turn: { say: "two" },
      entry: "turn 2 of script",
    });
  });

  test("is not found through names that every object has", () => {
    const cassette = cassetteOf({ a: says("x") });
    for (const agent of ["toString", "hasOwnProperty", "valueOf"])
      expect(play(cassette, agent, { step: "toString" })).toBe("uncovered");
  });
});

test("a cassette covers agents by name, step or pattern, not by its default", () => {
  const cassette = cassetteOf(
    { a: says("x"), "b/step": says("x"), "c-*": says("x") },
    { default: says("x") },
  );
  const names = ["a", "b", "c-1", "d", "c"];
  expect(names.filter((name) => cassetteCovers(cassette, name))).toEqual(["a", "b", "c-1"]);
});

describe("a pattern with * and ?", () => {
  test("matches what the same regular expression does", () => {
    const character = fc.constantFrom("a", "b", "-", "*", "?");
    const pattern = fc.string({ unit: character, maxLength: 8 });
    const name = fc.string({ unit: fc.constantFrom("a", "b", "-"), maxLength: 8 });
    fc.assert(
      fc.property(pattern, name, (wanted, given) => {
        const source = wanted.replaceAll("*", "[^]*").replaceAll("?", "[^]");
        expect(matchesGlob(wanted, given)).toBe(new RegExp(`^${source}$`).test(given));
      }),
      {
        numRuns: 2000,
        examples: [
          ["*", ""],
          ["a*b?", "aabb"],
          ["-*-", "-"],
        ],
      },
    );
  });

  test("takes no exponential time", () => {
    const match = () => matchesGlob("a*".repeat(40).concat("b"), "a".repeat(64));
    expect(match()).toBe(false);
    expect(processorMs(1000, match)).toBeLessThan(1000);
  });
});
