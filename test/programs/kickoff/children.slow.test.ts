import { beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { createConfigProject } from "../../app/machine/config/config-project.ts";
import { type KickoffEnd, type KickoffStart, loadTools, runKickoff } from "./kickoff-run.ts";

// Agents that agents of a file spawn, in what ends by itself and in what goes on until it is stopped.

beforeAll(loadTools);

const call = (tool: string, input: Json): Json => ({ call: { tool, arguments: input } });
const task = (more: Json = {}): Json =>
  call("Task", Object.assign({ description: "look", prompt: "Where?", name: "kid" }, more));
const hire = (name: string) => call("spawn_agent", { prompt: "Where?", name });
const wait = call("wait", {});
const inBackground = { run_in_background: true };
const child: Json = [{ after: "5s", say: "here it is" }];

/** Lets one go and works with another one. */
const another = [call("close_agent", { id: "kid" }), hire("kid2"), wait];
const heard = { expect: "here it is", say: "I have heard" };

interface Way {
  readonly way: string;
  readonly turns: { readonly [agent: string]: Json };
}

/** The ways in which an agent of a file comes to have others at work. */
const ways: readonly Way[] = [
  { way: "a task", turns: { a: [{ do: [task()], say: "I have heard" }], kid: child } },
  {
    way: "a task in the background",
    turns: { a: [{ do: [task(inBackground)], say: "go on" }, heard], kid: child },
  },
  {
    way: "an agent that is waited for",
    turns: {
      a: [{ do: [hire("kid"), wait, ...another], say: "I have heard" }],
      ...{ kid: child, kid2: child },
    },
  },
  {
    way: "an agent that is not waited for",
    turns: {
      a: [
        { do: [hire("kid")], say: "go on" },
        { ...heard, do: another },
      ],
      ...{ kid: child, kid2: child },
    },
  },
  {
    way: "an agent that spawns another one",
    turns: {
      a: [{ do: [hire("kid")], say: "go on" }, heard],
      kid: [{ do: [task({ name: "grandkid" })], say: "here it is" }],
      grandkid: [{ after: "5s", say: "under the stone" }],
    },
  },
  {
    way: "an agent that spawns another one in the background",
    turns: {
      a: [{ do: [hire("kid")], say: "go on" }, { expect: "I have asked", say: "I wait" }, heard],
      kid: [
        { do: [task({ name: "grandkid", ...inBackground })], say: "I have asked" },
        { expect: "under the stone", say: "here it is" },
      ],
      grandkid: [{ after: "5s", say: "under the stone" }],
    },
  },
];

const alone = { shape: "one agent", agents: "{ a: { spawns: true } }", context: "context:" };
const mute = { ...alone, shape: "one agent without a channel", context: "" };
const pair = {
  ...alone,
  shape: "two agents",
  agents: "{ a: { spawns: true }, b: { spawns: true } }",
};
const asMany: Way = {
  way: "as many tasks as the file has agents",
  turns: {
    a: [{ do: [task(), task({ name: "kid2" })], say: "I have heard" }],
    ...{ kid: child, kid2: child },
  },
};

const rows = [
  ...ways.map((way) => ({ ...alone, ...way })),
  ...ways.slice(0, 2).map((way) => ({ ...mute, ...way })),
  { ...pair, ...asMany },
];

const file = ({ agents, context }: { readonly agents: string; readonly context: string }) =>
  `name: flow\n${context}\nagents: ${agents}\nkickoff: go @a\n`;

/** Runs it where agents that were spawned may spawn others. */
function run(text: string, start: KickoffStart): Promise<KickoffEnd> {
  const { root: cwd, env } = createConfigProject({ user: "limits: { maxDepth: 2 }\n" });
  return runKickoff(text, { ...start, cwd, env });
}

/** What must not be in a run whose agents were left to do their work. */
function expectWhole({ events }: KickoffEnd): void {
  expect(events.filter(({ type }) => type === "turn-interrupted")).toEqual([]);
  const returned = events.flatMap((event) => (event.type === "tool-returned" ? [event] : []));
  expect(returned.filter(({ isError }) => isError)).toEqual([]);
  const spoke = events.flatMap((event) => (event.type === "turn-completed" ? [event] : []));
  const [last] = spoke.filter(({ agent }) => agent === "a").slice(-1);
  expect(last?.text).toBe("I have heard");
}

describe("whom an agent of a file spawns is none of its agents", () => {
  test.each(rows)(
    "$way of $shape: the run ends when its own agents have heard of it and rest [KCK-9.participants, KCK-9.background, KCK-3, SUB-6]",
    async ({ turns, ...shape }) => {
      const end = await run(file(shape), { turns });
      expectWhole(end);
      expect(end.outcome).toBe("completed");
      expect(end.reason).toContain("nobody has anything left to do");
      const names = end.kickoffResult.agents.map(({ name }) => name);
      expect(names).toEqual(shape.shape === "two agents" ? ["a", "b"] : ["a"]);
    },
  );

  test.each(rows)(
    "$way of $shape: what was started goes on afterwards, until it is stopped [KCK-9.modes, KCK-4]",
    async ({ turns, ...shape }) => {
      const { a } = turns;
      const more = [{ expect: "one more thing", say: "I have heard" }];
      const end = await run(file(shape), {
        until: "stopped",
        turns: { ...turns, a: Array.isArray(a) ? [...a, ...more] : more },
        onEvent: afterHearing,
      });
      expectWhole(end);
      expect(end).toMatchObject({ outcome: "completed", reason: "all agents were stopped" });
      expect(end.state.messages.recent.filter(({ from }) => from === "user")).toHaveLength(1);
    },
  );
});

/** Writes to the agent when it has heard of its child and that is gone, and stops the run when it has answered. */
const afterHearing: NonNullable<KickoffStart["onEvent"]> = (event, run) => {
  if (event.type !== "turn-completed" || event.agent !== "a") return;
  if (event.text !== "I have heard") return;
  const isWritten = run.state.messages.recent.some(({ from }) => from === "user");
  const command = isWritten
    ? ({ kind: "stop" } as const)
    : ({ kind: "send", text: "one more thing", to: ["a"], key: "more" } as const);
  run.command(command).catch(() => {});
};

const BUSY = { fail: { code: "BUSY", retryable: true, message: "busy" } };
const CRASHES = { repeat: "last", turns: [{ crash: true }] };

describe("what becomes of somebody who was spawned is for whoever spawned it", () => {
  test.each([
    { what: "fails in its task", way: task(), kid: [BUSY], heard: "BUSY" },
    { what: "gives up in its task", way: task(), kid: CRASHES, heard: "crash" },
    { what: "says that it failed", way: task(), kid: [{ say: "FAILED: no stone" }], heard: "" },
    {
      what: "fails in the background",
      way: task(inBackground),
      kid: [BUSY],
      heard: "Agent kid: errored",
    },
    {
      what: "gives up in the background",
      way: task(inBackground),
      kid: CRASHES,
      heard: "Agent kid",
    },
    {
      what: "gives up without being waited for",
      way: hire("kid"),
      kid: CRASHES,
      heard: "Agent kid",
    },
  ] as const)(
    "a child that $what is no failure of the team, whose agent is told [KCK-9.participants, KCK-3, ENG-11]",
    async (given) => {
      const { way, kid, heard } = given;
      const isTold = heard.startsWith("Agent");
      const end = await run(file(alone), {
        turns: {
          a: isTold
            ? [
                { do: [way], say: "go on" },
                { expect: heard, say: "I do it myself" },
              ]
            : [{ do: [way], say: "I do it myself" }],
          kid,
        },
      });
      expect(end).toMatchObject({ outcome: "completed", exitCode: 0 });
      expect(end.said).toContain("a: I do it myself");
    },
  );

  test.each([
    {
      what: "says that it failed because of its child",
      turns: { a: [{ do: [task()], say: "FAILED: kid found nothing" }], kid: [BUSY] },
      reason: 'agent "a" says FAILED: kid found nothing',
    },
    {
      what: "cannot take in what its child found",
      turns: {
        a: [{ do: [task(inBackground)], say: "go on" }, BUSY, BUSY, BUSY, BUSY],
        kid: child,
      },
      reason: 'a message to agent "a" was given up',
    },
    {
      what: "gives up when its child is done",
      turns: {
        a: { repeat: "last", turns: [{ do: [task(inBackground)], say: "go on" }, { crash: true }] },
        kid: child,
      },
      reason: expect.stringMatching(/^agent "a" gave up: /),
    },
  ])(
    "an agent of the file that $what makes the team fail [KCK-9.participants, KCK-3, ENG-11]",
    async ({ turns, reason }) => {
      const end = await run(file(alone), { turns });
      expect(end).toMatchObject({ outcome: "failed", exitCode: 1, reason });
    },
  );

  test("how often children work and answer breaks no bound of the team, what they post does [KCK-9.participants, KCK-3]", async () => {
    const asked = Array.from({ length: 7 }, (_, turn) =>
      call("send_input", { id: "kid", prompt: `${turn}` }),
    );
    const turns = {
      a: [{ do: [hire("kid"), wait, ...asked.flatMap((each) => [each, wait])], say: "enough" }],
      kid: { repeat: "last", turns: [{ say: "here" }] },
    } as const;
    const bounded = (bounds: string) =>
      run(`${file(alone)}options: { bounds: ${bounds} }\n`, { turns });
    const within = await bounded("{ turnsPerAgent: 1, pingPong: 1 }");
    expect(within).toMatchObject({
      outcome: "completed",
      reason: expect.stringContaining("1 turn,"),
    });
    expect(within.events.filter(({ type }) => type === "turn-completed").length).toBe(9);
    expect(await bounded("{ messages: 4 }")).toMatchObject({
      outcome: "limit-reached",
      reason: "the agents have posted 4 messages (options.bounds.messages)",
    });
  });
});
