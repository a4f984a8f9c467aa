import { beforeAll, expect, test } from "vitest";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { strideOf } from "../../cases.ts";
import { type KickoffEnd, loadTools, resumeKickoff, runKickoff } from "./kickoff-run.ts";

// Owners that die while agents work that others have spawned.

beforeAll(loadTools);

const text = `
name: flow
context:
agents: { a: { spawns: true }, b: { spawns: true } }
kickoff: go @a and @b
`;

const give = (name: string, more: object = {}) => ({
  call: {
    tool: "Task",
    arguments: { description: "look", prompt: "Where?", name, run_in_background: true, ...more },
  },
});
const child = [{ after: "5s", say: "under the stone" }];

const turns = {
  a: [
    { do: [give("kid")], say: "I go on" },
    { expect: "under the stone", say: "I have heard" },
  ],
  b: [
    { do: [give("kit")], say: "I go on" },
    { expect: "BUSY", say: "I do it myself" },
  ],
  kid: child,
  kit: [{ fail: { code: "BUSY", retryable: false, message: "BUSY" } }],
};

/** What must be the same wherever an owner died: what the agents of the file came to, and nothing told twice. */
function essence({ outcome, reason, kickoffResult, said }: KickoffEnd) {
  const told = said.filter((line) => line.startsWith("system: Agent")).toSorted();
  return { outcome, reason: reason.split(":")[0], agents: kickoffResult.agents, told };
}

test("a team whose owner dies at any point of its children's lives comes to the same end, and each end is told once [KCK-9.participants, KCK-9.background, SUB-6, ENG-2]", async () => {
  const store = createCuttableStore();
  const whole = await runKickoff(text, { store, turns });
  const wanted = essence(whole);
  expect(wanted).toMatchObject({
    outcome: "completed",
    agents: [
      { name: "a", text: "I have heard" },
      { name: "b", text: "I do it myself" },
    ],
  });
  expect(wanted.told).toHaveLength(2);
  const commits = store.commits(whole.id).slice(0, -1);
  const stride = strideOf(3);
  for (const seq of commits.filter((_, index) => index % stride === 0)) {
    const resumed = await resumeKickoff(whole.id, await store.cutAfter(whole.id, seq));
    expect(essence(resumed), `after event ${seq}`).toEqual(wanted);
  }
});
