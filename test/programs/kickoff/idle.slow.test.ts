import { describe, expect, test } from "vitest";
import { runKickoff } from "./kickoff-run.ts";

/** A workflow of agents that share a channel. */
function workflow(agents: readonly string[], kickoff: string, more = ""): string {
  const entries = agents.map((id) => `  ${id}: {}`).join("\n");
  return `name: flow\ncontext:\nagents:\n${entries}\nkickoff: ${JSON.stringify(kickoff)}\n${more}`;
}

const NOTHING = { say: "" };
const BUSY = { fail: { code: "BUSY", retryable: true, message: "busy" } };

describe("a run is over when nobody has anything left to do", () => {
  test.each([
    {
      name: "whoever is mentioned works, and hands on by a mention",
      agents: ["a", "b"],
      kickoff: "go @a",
      turns: { a: [{ say: "over to @b" }], b: [{ say: "done" }] },
      said: ["a: over to @b", "b: done"],
      outcome: "completed",
      reason: "nobody has anything left to do: 2 turns, 2 messages",
    },
    {
      name: "a message in flight is waited for, however long the quiet period",
      agents: ["a", "b"],
      kickoff: "go @a",
      turns: { a: [{ after: "30s", say: "@b" }], b: [{ after: "1h", say: "late" }] },
      more: "options: { timeout: 2h }\n",
      said: ["a: @b", "b: late"],
      outcome: "completed",
      reason: "nobody has anything left to do: 2 turns, 2 messages",
    },
    {
      name: "what comes in during a turn is a wake that is pending until the next one",
      agents: ["a", "b"],
      kickoff: "go @a @b",
      turns: {
        a: [{ after: "5s", say: "first" }, { say: "second" }],
        b: [{ say: "@a also this" }],
      },
      said: ["b: @a also this", "a: first", "a: second"],
      outcome: "completed",
      reason: "nobody has anything left to do: 3 turns, 3 messages",
    },
    {
      name: "an agent may ignore what it was asked",
      agents: ["a", "b"],
      kickoff: "go @a",
      turns: { a: [{ say: "@b please" }], b: [NOTHING] },
      said: ["a: @b please"],
      outcome: "completed",
      reason: "nobody has anything left to do: 2 turns, 1 message",
    },
    {
      name: "a mention of nobody wakes nobody",
      agents: ["a", "b"],
      kickoff: "go @a",
      turns: { a: [{ say: "@nobody please, and @a too" }] },
      said: ["a: @nobody please, and @a too"],
      outcome: "completed",
      reason: "nobody has anything left to do: 1 turn, 1 message",
    },
    {
      name: "a kickoff without a mention says so",
      agents: ["a", "b"],
      kickoff: "go",
      turns: {},
      said: [],
      outcome: "completed",
      reason: "nobody was mentioned, so nobody was woken: 0 turns, 0 messages",
    },
    {
      name: "who says FAILED and nothing after it has failed",
      agents: ["a", "b"],
      kickoff: "go @a",
      turns: { a: [{ say: "FAILED: the tests do not start" }] },
      said: ["a: FAILED: the tests do not start"],
      outcome: "failed",
      reason: 'agent "a" says FAILED: the tests do not start',
    },
    {
      name: "a later signal takes back that an agent is blocked",
      agents: ["a", "b"],
      kickoff: "go @a",
      turns: {
        a: [{ say: "BLOCKED: no key @b" }, { say: "DONE: it works" }],
        b: [{ say: "@a here" }],
      },
      said: ["a: BLOCKED: no key @b", "b: @a here", "a: DONE: it works"],
      outcome: "completed",
      reason: "nobody has anything left to do: 3 turns, 3 messages",
    },
    {
      name: "a message that an agent fails at again and again ends in the dead letters",
      agents: ["a", "b"],
      kickoff: "go @a",
      turns: { a: { repeat: "last", turns: [BUSY] } },
      said: [],
      outcome: "failed",
      reason: 'a message to agent "a" was given up',
    },
    {
      name: "an agent whose session crashes again and again gives up",
      agents: ["a", "b"],
      kickoff: "go @a",
      turns: { a: { repeat: "last", turns: [{ crash: true }] } },
      said: [],
      outcome: "failed",
      reason: expect.stringMatching(/^agent "a" gave up: /),
    },
    {
      name: "two agents that only answer each other are stopped",
      agents: ["a", "b"],
      kickoff: "go @a",
      turns: {
        a: { repeat: "last", turns: [{ say: "@b you" }] },
        b: { repeat: "last", turns: [{ say: "@a no, you" }] },
      },
      said: [
        ...["a: @b you", "b: @a no, you", "a: @b you", "b: @a no, you"],
        ...["a: @b you", "b: @a no, you", "a: @b you"],
      ],
      outcome: "limit-reached",
      reason: "a and b only answered each other, 6 times (options.bounds.pingPong)",
    },
    {
      name: "an agent that is asked again and again stops at its turns",
      agents: ["a", "b", "c"],
      kickoff: "go @a",
      turns: {
        a: { repeat: "last", turns: [{ say: "@b @c you" }] },
        b: { repeat: "last", turns: [{ say: "@a" }] },
        c: { repeat: "last", turns: [{ say: "@a" }] },
      },
      more: "options: { bounds: { turnsPerAgent: 4 } }\n",
      outcome: "limit-reached",
      reason: expect.stringMatching(
        /^agent "[abc]" has had 4 turns \(options.bounds.turnsPerAgent\)$/,
      ),
    },
    {
      name: "more messages than are allowed are not posted",
      agents: ["a", "b", "c"],
      kickoff: "go @a",
      turns: {
        a: { repeat: "last", turns: [{ say: "@b" }] },
        b: { repeat: "last", turns: [{ say: "@c" }] },
        c: { repeat: "last", turns: [{ say: "@a" }] },
      },
      more: "options: { bounds: { messages: 5 } }\n",
      said: ["a: @b", "b: @c", "c: @a", "a: @b", "b: @c"],
      outcome: "limit-reached",
      reason: "the agents have posted 5 messages (options.bounds.messages)",
    },
    {
      name: "as many as are allowed are no limit",
      agents: ["a", "b"],
      kickoff: "go @a",
      turns: { a: [{ say: "@b" }], b: [{ say: "done" }] },
      more: "options: { bounds: { messages: 2, turnsPerAgent: 1, pingPong: 1 } }\n",
      said: ["a: @b", "b: done"],
      outcome: "completed",
      reason: "nobody has anything left to do: 2 turns, 2 messages",
    },
  ] as const)("$name [KCK-2, KCK-3, ENG-11]", async (given) => {
    const more = "more" in given ? given.more : "";
    const end = await runKickoff(workflow(given.agents, given.kickoff, more), {
      turns: given.turns,
    });
    expect(end).toMatchObject({ outcome: given.outcome, reason: given.reason });
    const exits = { completed: 0, failed: 1, "limit-reached": 5 };
    expect(end.exitCode).toBe(exits[given.outcome]);
    const start = ["system: Workflow started", `system: ${given.kickoff}`];
    if ("said" in given) expect(end.said).toEqual([...start, ...given.said]);
  });
});

describe("what two agents say to each other is no ping-pong", () => {
  const turns = {
    a: { repeat: "last", turns: [{ say: "@b you" }] },
    b: { repeat: "last", turns: [{ say: "@a no, you" }] },
  };
  test.each([
    { name: "while files change", action: { file: { path: "x.ts", kind: "edit" } } },
    { name: "while the document changes", action: { document: { append: "more\n" } } },
    {
      name: "while a third one is heard",
      action: { send: { to: "b", text: "mind c" } },
      third: true,
    },
  ])("$name [KCK-3]", async ({ action, third }) => {
    const loop = { repeat: "last", turns: [{ do: [action], say: "@b you" }] };
    const first = third === true ? turns.a : loop;
    const asked = third === true ? { say: "@a @c no, you" } : { say: "@a no, you" };
    const end = await runKickoff(
      workflow(["a", "b", "c"], "go @a", "options: { bounds: { messages: 40 } }\n"),
      {
        turns: {
          a: first,
          b: { repeat: "last", turns: [asked] },
          c: { repeat: "last", turns: [{ say: "I am here" }] },
        },
      },
    );
    expect(end.reason).toMatch(/40 messages/);
  });
});

test("a deadline ends a run that would go on [KCK-3, ENG-7.run]", async () => {
  const text = workflow(["a"], "go @a", "options: { timeout: 1m }\n");
  const end = await runKickoff(text, { turns: { a: [{ hang: true }] } });
  expect(end).toMatchObject({ outcome: "timed-out", exitCode: 5 });
});

test("the quiet period is that of the file, one second by default [KCK-3]", async () => {
  const turns = { a: [{ say: "done" }] };
  const time = async (more: string) =>
    (await runKickoff(workflow(["a"], "go @a", more), { turns })).state.runningTime.totalMs;
  expect(await time("")).toBe(1000);
  expect(await time("options: { quiet: 30s }\n")).toBe(30_000);
});

test("a run ends at once when all its agents were stopped one by one [KCK-4]", async () => {
  const end = await runKickoff(workflow(["a", "b"], "go @a"), {
    turns: { a: [{ hang: true }] },
    onEvent: (event, run) => {
      if (event.type !== "turn-started") return;
      for (const agent of ["a", "b"])
        run.command({ kind: "release", agent, force: true }).catch(() => {});
    },
  });
  expect(end).toMatchObject({
    outcome: "completed",
    reason: "all agents were stopped: 0 turns, 0 messages",
  });
});
