import { z } from "zod";
import type { AgentSpec } from "../../../contracts/agent.ts";
import type {
  AgentBackend,
  AgentSession,
  SessionRequest,
  TurnRequest,
} from "../../../contracts/backend.ts";
import type { Host } from "../../../contracts/host.ts";
import type { Clock } from "../../../foundation/clock.ts";
import { present } from "../../../foundation/present.ts";
import { scriptExhausted, sessionUnknown, settingsInvalid } from "../parts/errors.ts";
import { problemsOf } from "../parts/program-backend.ts";
import { type TerminalUpdate, TurnGate, type TurnWork } from "../parts/turn-gate.ts";
import { type Cassette, type ScriptedTurn, turnListSchema } from "./cassette-schema.ts";
import { playTurn } from "./play-turn.ts";
import { listsOfCassette, listsOfScript, selectTurn, type TurnLists } from "./select-turn.ts";

/** What scripted agents play and where. */
export interface ScriptBackendOptions {
  /** Turns for agents without an inline `script`; agents that it does not cover say `DONE: <agent> done`. */
  readonly cassette?: Cassette | undefined;
  /** Decides each turn when it comes, in place of scripts and cassette. Defaults to these. */
  readonly improvise?: ((request: TurnRequest) => ScriptedTurn) | undefined;
  readonly host: Host;
  readonly clock: Clock;
}

interface ScriptSession {
  readonly request: SessionRequest;
  readonly lists: TurnLists;
  readonly gate: TurnGate;
}

const NOTHING: TurnLists = { find: () => undefined };
const resumeSchema = z.strictObject({ session: z.string().min(1) });

/**
 * The backend that plays scripted turns (AGT-4). Raises BACKEND_SETTINGS_INVALID and
 * BACKEND_SESSION_UNKNOWN at `open`; its turns fail with BACKEND_SCRIPT_MISMATCH,
 * BACKEND_SCRIPT_EXHAUSTED, BACKEND_CRASHED or the code that the script names.
 */
export function createScriptBackend(options: ScriptBackendOptions): AgentBackend {
  const shared = options.cassette === undefined ? NOTHING : listsOfCassette(options.cassette);
  // Sessions of one agent share its parsed script: thousands of them may be open.
  const inline = new WeakMap<object, TurnLists>();
  const listsFor = (spec: AgentSpec): TurnLists => {
    const { script } = spec.settings ?? {};
    if (spec.settings === undefined || script === undefined) return shared;
    const known = inline.get(spec.settings);
    if (known !== undefined) return known;
    const parsed = turnListSchema.safeParse(script);
    if (!parsed.success)
      throw settingsInvalid({
        agent: spec.id,
        problem: `script: ${z.prettifyError(parsed.error)}`,
      });
    const lists = listsOfScript(parsed.data);
    inline.set(spec.settings, lists);
    return lists;
  };
  return {
    name: "script",
    metering: "exact",
    livesInSandbox: true,
    conventions: "text",
    demandsSignal: true,
    toolCallTimeoutMs: Infinity,
    takesMessages: true,
    check: (spec) => problemsOf(() => listsFor(spec)),
    open: async (request) => {
      const { session, spec } = request;
      if (request.resume !== undefined) assertToken(spec.id, request.resume);
      const gate = new TurnGate({ agent: spec.id, session });
      return openSession({ request, lists: listsFor(spec), gate }, options);
    },
  };
}

function assertToken(agent: string, resume: string): void {
  if (!z.string().transform(parseJson).pipe(resumeSchema).safeParse(resume).success)
    throw sessionUnknown({ agent, resume });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No token of ours: the schema that follows refuses it.
    return undefined;
  }
}

function openSession(session: ScriptSession, options: ScriptBackendOptions): AgentSession {
  const { request, gate } = session;
  return {
    get resume() {
      return JSON.stringify({ session: request.session });
    },
    prompt: (turn) => gate.run(turn, (work) => play(session, work, options)),
    close: () => gate.close(),
  };
}

function play(
  { request, lists }: ScriptSession,
  work: TurnWork,
  { host, clock, improvise }: ScriptBackendOptions,
): Promise<TerminalUpdate> {
  const { cwd, env, logFile, confine, limits, session } = request;
  let calls = 0;
  const nextCall = () => {
    calls += 1;
    return `call_${work.request.turn}_${calls}`;
  };
  const stage = {
    ...{ host, clock, cwd, env, nextCall },
    ...present({ logFile, confine, limits }),
  };
  const played =
    improvise === undefined
      ? entryOf(lists, work.request)
      : { turn: improvise(work.request), entry: "an improvised turn" };
  return playTurn({ ...played, session }, work, stage);
}

function entryOf(
  lists: TurnLists,
  request: TurnRequest,
): Pick<Parameters<typeof playTurn>[0], "turn" | "entry"> {
  const { agent, step = "" } = request;
  const selected = selectTurn(lists, {
    agent,
    step,
    get turnsBefore() {
      return request.turnsBefore;
    },
  });
  switch (selected.status) {
    case "turn":
      return selected;
    case "uncovered":
      return { turn: { do: [], say: `DONE: ${agent} done` }, entry: "the default turn" };
    case "exhausted": {
      const { key, turns } = selected.list;
      throw scriptExhausted({ agent, list: key, turns: turns.length });
    }
  }
}
