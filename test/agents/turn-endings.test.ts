import { expect, test } from "vitest";
import type { Context } from "../../src/contracts/ports/context.ts";
import { toErrorReport } from "../../src/foundation/errors.ts";
import { createManualClock, type ManualClock, settle } from "../../src/testing/manual-clock.ts";
import {
  type AgentsRun,
  agent,
  type PlayedTurn,
  playedBackend,
  runAgents,
  said,
} from "./agents-run.ts";

/** What the first turn of an agent said, or why it failed; the second one says `turn 2`. */
async function twoTurns(context: Context): Promise<string[]> {
  const told: string[] = [];
  for (const word of ["one", "two"])
    told.push(
      await context.turn("a", word, { timeoutMs: 60_000 }).then(
        ({ text }) => text,
        (error: unknown) => {
          const { code, message } = toErrorReport(error);
          return `${code}: ${message}`;
        },
      ),
    );
  return told;
}

const firstTurn = (play: PlayedTurn): PlayedTurn =>
  async function* (request, session) {
    if (request.turn === 1) yield* play(request, session);
    else yield said(`turn ${request.turn}`);
  };

const lasting: PlayedTurn = async function* ({ signal }) {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  yield { type: "stop", reason: "cancelled" };
};

const using = (usage: object): PlayedTurn =>
  async function* (request, session) {
    yield { type: "usage", usage };
    yield { type: "tool-call", call: "1", tool: "Bash", input: {} };
    yield* lasting(request, session);
  };

const failing = (code: string, sessionLost = false): PlayedTurn =>
  async function* () {
    yield { type: "error", error: { code, message: "it failed" }, sessionLost };
  };

interface Ending {
  readonly what: string;
  readonly play: PlayedTurn;
  readonly first: string;
  /** How many sessions are opened for both turns. */
  readonly sessions: number;
  readonly meanwhile?: (run: AgentsRun, clock: ManualClock) => Promise<unknown>;
}

test.each<Ending>([
  {
    what: "ended by itself",
    play: async function* () {
      yield said("ok");
    },
    first: "ok",
    sessions: 1,
  },
  {
    what: "was interrupted by a person",
    play: lasting,
    first: 'AGENT_INTERRUPTED: the turn of agent "a" was interrupted before it was done',
    sessions: 1,
    meanwhile: (run) => run.owned.command({ kind: "interrupt", agent: "a" }, "ann"),
  },
  {
    what: "reached its deadline",
    play: lasting,
    first: 'AGENT_TURN_TIMED_OUT: agent "a" did not end its turn within 60000 ms',
    sessions: 2,
    meanwhile: (_run, clock) => clock.advance(60_000),
  },
  {
    what: "went beyond the budget of its agent",
    play: using({ inputTokens: 900 }),
    first: 'LIMIT_TOKENS: agent "a" has reached its limit of 500 tokens',
    sessions: 1,
  },
  {
    what: "failed",
    play: failing("BACKEND_SAID_NO"),
    first: "BACKEND_SAID_NO: it failed",
    sessions: 1,
  },
  {
    what: "took too much of the machine",
    play: failing("LIMIT_AGENT_RESOURCES", true),
    first: "LIMIT_AGENT_RESOURCES: it failed",
    sessions: 2,
  },
])(
  "after a turn that $what the next one goes on with $sessions session(s) in all [AGT-7.crash]",
  async (row) => {
    const clock = createManualClock();
    const backend = playedBackend(firstTurn(row.play));
    const isLimited = row.what.includes("budget");
    const run = runAgents(
      async (context) => {
        const budget = isLimited ? { budget: { tokens: 500 } } : {};
        await context.spawn(agent("a", { session: "keep", ...budget }));
        return twoTurns(context);
      },
      { backend, clock },
    );
    await settle();
    await row.meanwhile?.(run, clock);
    const second = isLimited ? row.first : "turn 2";
    expect(await run.over()).toEqual([row.first, second]);
    expect(backend.opened).toHaveLength(isLimited ? 1 : row.sessions);
    expect(backend.prompts.map(({ turn, attempt }) => [turn, attempt])).toEqual(
      isLimited
        ? [[1, 1]]
        : [
            [1, 1],
            [2, 1],
          ],
    );
  },
);

test("a turn that a cancelled scope cuts off leaves its session to the next [ENG-6]", async () => {
  const clock = createManualClock();
  const backend = playedBackend(firstTurn(lasting));
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { session: "keep" }));
      const branch = context.scope("branch", (scope) => scope.turn("a", "one"));
      await context.sleep(1000);
      branch.cancel("enough");
      const isOver = await branch.result.then(
        () => "went on",
        () => "cut off",
      );
      return [isOver, (await context.turn("a", "two")).text];
    },
    { backend, clock },
  );
  await clock.advance(1000);
  expect(await run.over()).toEqual(["cut off", "turn 2"]);
  expect(backend.opened).toHaveLength(1);
});

function fullDisk(): Error {
  return Object.assign(new Error("no space left"), { code: "ENOSPC", path: "/x" });
}

test.each<[string, PlayedTurn, boolean]>([
  ["its backend opens a session", lasting, true],
  [
    "a turn streams",
    async function* () {
      yield { type: "text-delta", text: "half" };
      throw fullDisk();
    },
    false,
  ],
  ["its program says so", failing("HOST_DISK_FULL"), false],
])(
  "where the disk is full when %s, the run stops without a word of the turn, which its next owner starts again [ENG-2]",
  async (_, play, breaksOpen) => {
    const backend = playedBackend(play);
    const open = breaksOpen ? () => Promise.reject(fullDisk()) : backend.open;
    const run = runAgents(
      async (context) => {
        await context.spawn(agent("a"));
        return twoTurns(context);
      },
      { backend: { ...backend, open } },
    );
    await expect(run.owned.parted).rejects.toMatchObject({ code: "HOST_DISK_FULL" });
    const ends = ["turn-completed", "turn-failed", "turn-interrupted"];
    expect(run.events.filter(({ type }) => ends.includes(type))).toEqual([]);
  },
);
