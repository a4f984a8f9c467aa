import assert from "node:assert/strict";
import type {
  AgentBackend,
  AgentSession,
  SessionRequest,
  TurnRequest,
  TurnUpdate,
} from "../contracts/backend.ts";
import { isRecord } from "../foundation/json.ts";
import { createTurnRequest } from "./turn-request.ts";

/**
 * How the turns of a fixture's agent go. `says`: the final text is `all done`. `receives`: the turn
 * ends well only if it got HUGE_TASK whole. `fails`: with an error. `hangs`: streams a text, then never
 * ends by itself, with a process running if the backend has any. `floods`: answers with 8 Mi
 * characters. `facts`: says a JSON object with run, agent, step, key, attempt (a number) and
 * previousError as the agent sees them.
 */
export type BackendBehaviour = "says" | "receives" | "fails" | "hangs" | "floods" | "facts";

/** One backend under test. */
export interface BackendFixture {
  readonly backend: AgentBackend;
  readonly canResume: boolean;
  /** Behaviours that this backend cannot have; cases that need one are left out. */
  readonly lacks: ReadonlySet<BackendBehaviour>;
  /** How to open a session of agent `worker` that behaves so. */
  session(behaviour: BackendBehaviour): SessionRequest;
  /** Processes that turns have started and that still live. */
  livingProcesses(): Promise<readonly number[]>;
}

/** One promise of every backend. */
export interface BackendCase {
  readonly name: string;
  readonly needs: BackendBehaviour;
  run(fixture: BackendFixture): Promise<void>;
}

/** A task of 1 MiB whose end differs from its beginning. */
export const HUGE_TASK = `first ${"x".repeat(1024 * 1024)} last $& \`"'\\ ü`;

const SOON_MS = 5000;
// Whoever cuts texts to 1 Mi characters sees by one more that something is missing.
const MAX_TEXT_CHARS = 1024 * 1024 + 1;

/** What every backend keeps, as plain data for any test runner. */
export const backendConformance: readonly BackendCase[] = [
  {
    name: "a turn ends with one stop, its text in full [AGT-1, AGT-2]",
    needs: "says",
    run: async (fixture) => {
      await withSession(fixture, "says", async (session) => {
        const updates = await takeTurn(session);
        assert.deepEqual(updates.at(-1), { type: "stop", reason: "end_turn", text: "all done" });
        assert.equal(streamedText(updates).trimEnd(), "all done");
      });
    },
  },
  {
    name: "a session takes one turn after the other [AGT-1, AGT-2]",
    needs: "says",
    run: async (fixture) => {
      await withSession(fixture, "says", async (session) => {
        await takeTurn(session);
        const again = await takeTurn(session, { turn: 2, turnsBefore: { "": 1 } });
        assert.equal(terminalOf(again).type, "stop");
      });
    },
  },
  {
    name: "a turn of 1 MiB arrives whole [AGT-5]",
    needs: "receives",
    run: async (fixture) => {
      await withSession(fixture, "receives", async (session) => {
        const updates = await takeTurn(session, { task: HUGE_TASK, prompt: HUGE_TASK });
        assert.equal(terminalOf(updates).type, "stop", JSON.stringify(updates.at(-1)));
      });
    },
  },
  {
    name: "a failed turn ends with one error that has a code and a message [AGT-1, AGT-2]",
    needs: "fails",
    run: async (fixture) => {
      await withSession(fixture, "fails", async (session) => {
        const end = terminalOf(await takeTurn(session));
        assert(end.type === "error");
        assert.match(end.error.code, /^[A-Z][A-Z0-9_]+$/);
        assert.notEqual(end.error.message, "");
        assert.deepEqual(JSON.parse(JSON.stringify(end)), end, "the error survives JSON");
      });
    },
  },
  {
    name: "a turn cut off in the middle stops soon as cancelled and leaves no process [AGT-2, ENG-6]",
    needs: "hangs",
    run: async (fixture) => {
      await withSession(fixture, "hangs", async (session) => {
        const controller = new AbortController();
        const turn = await begin(session, controller.signal);
        const since = performance.now();
        controller.abort(new Error("enough"));
        assert.deepEqual(terminalOf(await drain(turn)), { type: "stop", reason: "cancelled" });
        assert(performance.now() - since < SOON_MS, "the turn took too long to end");
        assert.deepEqual(await fixture.livingProcesses(), []);
      });
    },
  },
  {
    name: "a turn that is cut off before it begins stops as cancelled [AGT-2]",
    needs: "hangs",
    run: async (fixture) => {
      await withSession(fixture, "hangs", async (session) => {
        const updates = await takeTurn(session, { signal: AbortSignal.abort() });
        assert.deepEqual(updates, [{ type: "stop", reason: "cancelled" }]);
      });
    },
  },
  {
    name: "closing a session in the middle of a turn ends the turn and its processes [AGT-2, ENG-6]",
    needs: "hangs",
    run: async (fixture) => {
      await withSession(fixture, "hangs", async (session) => {
        const turn = await begin(session, new AbortController().signal);
        await session.close();
        assert.deepEqual(await fixture.livingProcesses(), []);
        terminalOf(await drain(turn));
      });
    },
  },
  {
    name: "leaving the stream of a turn ends its work [AGT-2, ENG-6]",
    needs: "hangs",
    run: async (fixture) => {
      await withSession(fixture, "hangs", async (session) => {
        const turn = await begin(session, new AbortController().signal);
        await turn.return?.();
        assert.deepEqual(await fixture.livingProcesses(), []);
      });
    },
  },
  {
    name: "a session closes twice without harm and then takes no turn [AGT-1, AGT-2]",
    needs: "says",
    run: async (fixture) => {
      const session = await fixture.backend.open(fixture.session("says"));
      await session.close();
      await session.close();
      assert.equal(terminalOf(await takeTurn(session)).type, "error");
    },
  },
  {
    name: "a session that can be resumed takes a turn in a new one [AGT-1, AGT-2]",
    needs: "says",
    run: async (fixture) => {
      const first = await fixture.backend.open(fixture.session("says"));
      await takeTurn(first);
      const { resume } = first;
      await first.close();
      assert.equal(resume !== undefined, fixture.canResume);
      if (resume === undefined) return;
      const second = await fixture.backend.open({ ...fixture.session("says"), resume });
      const updates = await takeTurn(second, { turn: 2, turnsBefore: { "": 1 } });
      assert.equal(terminalOf(updates).type, "stop");
      await second.close();
    },
  },
  {
    name: "an answer of 8 Mi characters keeps its end and stays bounded [AGT-6]",
    needs: "floods",
    run: async (fixture) => {
      await withSession(fixture, "floods", async (session) => {
        const end = terminalOf(await takeTurn(session));
        assert(end.type === "stop" && end.text !== undefined);
        assert(end.text.length <= MAX_TEXT_CHARS, `${end.text.length} characters`);
        assert(end.text.length >= 1024 * 1024, `${end.text.length} characters`);
        assert(end.text.endsWith("the end"));
      });
    },
  },
  {
    name: "the agent learns its run, step, key, attempt and the error before [AGT-1]",
    needs: "facts",
    run: async (fixture) => {
      await withSession(fixture, "facts", async (session) => {
        const given = { step: "design/vote", key: "run_aaaaaa/vote#1", previousError: "no tests" };
        const end = terminalOf(await takeTurn(session, { ...given, stepAttempt: 3, attempt: 2 }));
        assert(end.type === "stop" && end.text !== undefined, JSON.stringify(end));
        const facts: unknown = JSON.parse(end.text);
        assert.deepEqual(facts, { run: "run_aaaaaa", agent: "worker", ...given, attempt: 3 });
      });
    },
  },
];

async function withSession(
  fixture: BackendFixture,
  behaviour: BackendBehaviour,
  use: (session: AgentSession) => Promise<void>,
): Promise<void> {
  const session = await fixture.backend.open(fixture.session(behaviour));
  try {
    await use(session);
  } finally {
    await session.close();
  }
}

async function takeTurn(
  session: AgentSession,
  parts: Partial<TurnRequest> = {},
): Promise<readonly TurnUpdate[]> {
  const updates: TurnUpdate[] = [];
  for await (const update of session.prompt(createTurnRequest(parts))) updates.push(update);
  return updates;
}

/** Starts a turn and reads up to its first text, so that it is known to be in the middle. */
async function begin(
  session: AgentSession,
  signal: AbortSignal,
): Promise<AsyncIterator<TurnUpdate>> {
  const turn = session.prompt(createTurnRequest({ signal }))[Symbol.asyncIterator]();
  for (let next = await turn.next(); next.done !== true; next = await turn.next())
    if (next.value.type === "text-delta") return turn;
  return assert.fail("the turn ended instead of hanging");
}

async function drain(turn: AsyncIterator<TurnUpdate>): Promise<readonly TurnUpdate[]> {
  const updates: TurnUpdate[] = [];
  for (let next = await turn.next(); next.done !== true; next = await turn.next())
    updates.push(next.value);
  return updates;
}

/** The end of a turn, after checking that it is the only one and that usage has its shape. */
function terminalOf(
  updates: readonly TurnUpdate[],
): Extract<TurnUpdate, { readonly type: "stop" | "error" }> {
  const ends = updates.filter(({ type }) => type === "stop" || type === "error");
  assert.equal(ends.length, 1, `ends of the turn: ${JSON.stringify(ends)}`);
  for (const update of updates) if (update.type === "usage") assertUsage(update.usage);
  const last = updates.at(-1);
  assert(last?.type === "stop" || last?.type === "error", "the turn ends with a stop or an error");
  return last;
}

function assertUsage(usage: unknown): void {
  assert(isRecord(usage));
  for (const [name, value] of Object.entries(usage)) {
    assert(["inputTokens", "outputTokens", "cachedTokens", "costUsd"].includes(name), name);
    assert(typeof value === "number" && value >= 0, `${name} is ${String(value)}`);
  }
}

function streamedText(updates: readonly TurnUpdate[]): string {
  return updates.map((update) => (update.type === "text-delta" ? update.text : "")).join("");
}
