import { expect, test } from "vitest";
import { runKickoff } from "./kickoff-run.ts";

const NOTHING = { say: "PASS" };

/** A kickoff of `a` and `b`, each with a shadow, that begins with `a`. */
const workflow = (shadow: string, more = "") =>
  `name: flow\ncontext:\nagents:\n  a: {}\n  b: {}\nkickoff: "go @a"\noptions:\n  shadow: { task: look, ${shadow} }\n${more}`;

test("a shadow comments on what its agent says, and can hand it work [MSG-10]", async () => {
  const run = await runKickoff(workflow("of: [a]"), {
    turns: {
      a: [{ say: "first try" }, { say: "better now" }],
      "a-Shadow": [{ say: "PASS" }, { say: "@a there is a leak" }, NOTHING, NOTHING],
    },
  });
  expect([run.outcome, run.said]).toEqual([
    "completed",
    [
      "system: Workflow started",
      "system: go @a",
      "a: first try",
      "a-Shadow: @a there is a leak",
      "a: better now",
    ],
  ]);
});

test("neither what a shadow says nor its failure decides how the run ends [MSG-10, KCK-3]", async () => {
  const broken = { fail: { code: "X", message: "no model", retryable: false } };
  const run = await runKickoff(workflow("speakOn: [SESSION_END]"), {
    turns: {
      a: [{ say: "@b done" }],
      b: [{ say: "fine" }],
      "a-Shadow": [{ say: "FAILED: I do not like it" }],
      "b-Shadow": Array(5).fill(broken),
    },
  });
  expect([run.outcome, run.reason]).toEqual([
    "completed",
    "nobody has anything left to do: 2 turns, 2 messages",
  ]);
  expect(run.said.at(-1)).toBe("a-Shadow: FAILED: I do not like it");
  expect(run.all("log").map(({ text }) => text)).toEqual([
    expect.stringContaining('shadow "b-Shadow"'),
  ]);
});

test("a run whose agents were all stopped is over, although their shadows were not [MSG-10, KCK-4]", async () => {
  const run = await runKickoff(workflow("of: [a]"), {
    turns: { a: [{ hang: true }] },
    onEvent: (event, going) => {
      if (event.type !== "turn-started") return;
      for (const agent of ["a", "b"])
        going.command({ kind: "release", agent, force: true }).catch(() => {});
    },
  });
  expect([run.outcome, run.reason]).toEqual([
    "completed",
    "all agents were stopped: 0 turns, 0 messages",
  ]);
});

test("a shadow is no third voice: it hides no ping-pong, and its own turns break no bound [MSG-10, KCK-3]", async () => {
  const run = await runKickoff(
    workflow("of: [a]").replace(
      "options:\n",
      "options:\n  bounds: { pingPong: 4, turnsPerAgent: 6 }\n",
    ),
    {
      turns: {
        a: Array(9).fill({ say: "@b ping" }),
        b: Array(9).fill({ say: "@a pong" }),
        "a-Shadow": Array(20).fill({ say: "hm" }),
      },
    },
  );
  expect(run.outcome).toBe("limit-reached");
  expect(run.reason).toContain("only answered each other, 4 times");
});
