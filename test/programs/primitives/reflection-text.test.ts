import { expect, test } from "vitest";
import type { ReflectedStatus } from "../../../src/contracts/reflection.ts";
import {
  focalPointsOf,
  reflectionPrompt,
  toSynthesis,
} from "../../../src/programs/primitives/reflection-text.ts";
import type { ReflectedStretch } from "../../../src/programs/primitives/reflection-window.ts";

/** A stretch in which agents a, b, ... have these statuses and nothing was said. */
function stretchOf(...statuses: readonly ReflectedStatus[]): ReflectedStretch {
  const all = statuses.map((status, index) => [String.fromCharCode(97 + index), status] as const);
  return {
    ...{ importance: 0, counts: new Map(), said: [], forgotten: 0, confidence: 1 },
    statuses: new Map(all),
  };
}

test("whoever reflects is asked three questions, or what the file says, with what is raised and how all do [PRM-reflection]", () => {
  const stretch = stretchOf("stuck", "done");
  const plain = reflectionPrompt({}, stretch, []);
  expect(plain).toMatch(/^Pause, and reflect on the work of all:\n1\. /);
  expect(plain).toContain(
    "What the last messages raise:\n\n- What keeps a from going on?\n- Do the agents come closer",
  );
  expect(plain).toContain("How the agents do:\n\n- a: stuck\n- b: done\n\n");
  expect(plain).toContain("Answer with a line `REFLECT: ");
  expect(reflectionPrompt({ prompt: "\n Well? " }, stretch, [])).toMatch(
    /^Well\?\n\nWhat the last/,
  );
});

test("it is told of the last five reflections, the oldest first [PRM-reflection-2]", () => {
  const prior = ["r1", "r2", "r3", "r4", "r5", "r6"];
  const prompt = reflectionPrompt({}, stretchOf("done"), prior);
  expect(prompt.match(/earlier reflection of this run\n.*/g)).toEqual(
    prior.slice(1).map((text) => `earlier reflection of this run\n${text}`),
  );
});

test("five agents at most are named in a question, each once [PRM-reflection-2]", () => {
  const stuck = Array.from({ length: 7 }, () => "stuck" as const);
  const grave = { from: "a", text: "x", importance: 8 };
  const said = [grave, grave, { from: "b", text: "x", importance: 7 }];
  expect(focalPointsOf({ ...stretchOf(...stuck), said }).slice(0, 2)).toEqual([
    "What keeps a, b, c, d, e from going on?",
    "What do the errors that a tells of mean for the goal?",
  ]);
});

test("of a long synthesis the beginning is kept, without half a character [PRM-reflection]", () => {
  expect(toSynthesis("  well \n")).toBe("well");
  expect(toSynthesis("x".repeat(4000))).toHaveLength(4000);
  expect(toSynthesis(`${"x".repeat(3999)}\u{1F600}`)).toBe(`${"x".repeat(3999)}\ufffd`);
});
