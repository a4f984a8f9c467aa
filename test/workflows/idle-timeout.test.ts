import { expect, test } from "vitest";
import { load, loadKickoff } from "./load-options.ts";

const agent = (idleTimeout: string) => `{ backend: script, idleTimeout: ${idleTimeout} }`;
const pattern = (idleTimeout: string) =>
  `name: flow\npattern: fan-out\nagents:\n  a: ${agent(idleTimeout)}\n`;
const kickoff = (idleTimeout: string) => `name: flow\nagents:\n  a: ${agent(idleTimeout)}\n`;

test("an agent says in either kind of file how long it may show no sign of life [AGT-8.stuck, WF-1]", () => {
  expect(load(pattern("90s")).definition?.agents[0]).toMatchObject({ idleTimeoutMs: 90_000 });
  expect(loadKickoff(kickoff("1h")).definition?.agents[0]).toMatchObject({
    idleTimeoutMs: 3_600_000,
  });
});

test("a time that is none, or no time at all, is told at its place [AGT-8.stuck, WF-1]", () => {
  for (const [idleTimeout, problem] of [
    ["soon", "is not a duration"],
    ["0s", "is no time at all"],
    ["400d", "is more than 365 days"],
  ] as const) {
    const found = [load(pattern(idleTimeout)), loadKickoff(kickoff(idleTimeout))];
    for (const { problems } of found)
      expect(problems).toMatchObject([
        { line: expect.any(Number), message: expect.stringContaining(problem) },
      ]);
  }
});
