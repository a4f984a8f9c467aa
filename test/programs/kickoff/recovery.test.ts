import { expect, test } from "vitest";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { type KickoffEnd, resumeKickoff, runKickoff } from "./kickoff-run.ts";

const text = `
name: flow
context:
agents: { a: {}, b: {}, c: {} }
kickoff: go @a and @c
`;

const turns = {
  a: [{ say: "over to @b" }, { say: "thanks" }],
  b: [
    { do: [{ document: { append: "finding\n" } }, { send: { to: "a", text: "look" } }], say: "x" },
  ],
  c: [{ fail: { code: "BUSY", retryable: true, message: "busy" } }, { say: "BLOCKED: no key" }],
};

/** What must be the same whether or not an owner died on the way. */
function essence({ outcome, reason, said, kickoffResult }: KickoffEnd) {
  const { agents, documents } = kickoffResult;
  return { outcome, reason, said: said.toSorted(), agents, documents };
}

test("a conversation that is cut off after any commit comes to the same end [ENG-2, ENG-3, MSG-3, P1, P3]", async () => {
  const store = createCuttableStore();
  const whole = await runKickoff(text, { store, turns });
  const wanted = essence(whole);
  expect(wanted).toMatchObject({
    outcome: "failed",
    reason: 'agent "c" says BLOCKED: no key',
    documents: [{ name: "notes", revision: 1, text: "finding\n" }],
  });
  const commits = store.commits(whole.id).slice(0, -1);
  expect(commits.length).toBeGreaterThan(5);
  for (const seq of commits) {
    const resumed = await resumeKickoff(whole.id, await store.cutAfter(whole.id, seq));
    expect(essence(resumed), `after event ${seq}`).toEqual(wanted);
  }
}, 60_000);
