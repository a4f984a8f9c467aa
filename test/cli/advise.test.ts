import { expect, test } from "vitest";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { ADVICE_RULES } from "../../src/app/plan/advice-rules.ts";
import { advise } from "../../src/app/plan/advise.ts";
import { call, createProject } from "./fake-io.ts";

test("advise proposes a pattern with why, law and turns, and the same for the same words", async () => {
  const cwd = createProject({});
  const asked = ["advise", "Decide whether this change is safe to merge", "--agents", "5"];
  const told = await call(cwd, asked);
  expect(told).toMatchObject({ exitCode: 0, err: "" });
  expect(told.out).toMatch(/^consensus {2}because of: decide, whether, safe\n/);
  expect(told.out).toContain("Condorcet");
  expect(told.out).toContain("cost  5 turns when nothing fails");
  expect(told.out).toContain("voter5");
  expect(await call(cwd, asked)).toEqual(told);
  const json = JSON.parse((await call(cwd, [...asked, "--json"])).out);
  expect(json).toMatchObject({ v: 1, advice: [{ pattern: "consensus", turns: { least: 5 } }] });
});

test("advise proposes no more than the agents can do, and refuses what is no number", async () => {
  const cwd = createProject({});
  const two = await call(cwd, ["advise", "decide whether to fix it", "--agents", "2"]);
  expect(two.out).toMatch(/^verifier/);
  expect(two.out).not.toContain("consensus");
  const alone = await call(cwd, ["advise", "fix it", "--agents", "1"]);
  expect(alone).toMatchObject({ exitCode: 1, out: expect.stringContaining("one agent") });
  for (const wrong of [["x", "--agents", "0"], [" "], ["x", "--agents", "many"]])
    expect(await call(cwd, ["advise", ...wrong])).toMatchObject({ exitCode: 2 });
});

test("every workflow that advise proposes is valid, with few agents and with many", async () => {
  const machine = createMachineAt({ store: "memory" });
  for (const { pattern, leastAgents, words } of ADVICE_RULES) {
    const [goal = ""] = /[a-z]{3,}/.exec(words.source.replace(/^\\b\(\?:/, "")) ?? [];
    for (const agents of [leastAgents, 9]) {
      const found = (await advise(machine, goal, agents)).find((one) => one.pattern === pattern);
      expect(found?.turns.least, `${pattern} ${goal}`).toBeGreaterThan(0);
    }
  }
});
