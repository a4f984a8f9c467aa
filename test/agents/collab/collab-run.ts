import type { AgentSpec } from "../../../src/contracts/agent.ts";
import type { TurnRequest, TurnUpdate } from "../../../src/contracts/backend.ts";
import type { TurnOptions } from "../../../src/contracts/ports/context.ts";
import { toErrorReport } from "../../../src/foundation/errors.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { isRecord } from "../../../src/foundation/json.ts";
import { createManualClock, type ManualClock } from "../../../src/testing/manual-clock.ts";
import {
  type AgentsRun,
  type AgentsRunOptions,
  agent,
  playedBackend,
  runAgents,
  said,
} from "../agents-run.ts";

/** A tool as the agent of a turn calls it; errors come as `{ error: code }`. */
export type Call = (
  tool: string,
  input?: { readonly [name: string]: Json },
) => Promise<{ readonly [name: string]: Json }>;

/** What one agent does in one of its turns; returns what it says. */
export type Part = (call: Call, request: TurnRequest) => Promise<string>;

/** The parts of agents by id, one per turn; whoever has none says `ok`. */
export interface Cast {
  readonly [agent: string]: readonly Part[];
}

/** An agent that answers with a text. */
export const says =
  (text: string): Part =>
  async () =>
    text;

/** A part that lasts until the test says so, or until its turn is cut off. */
export function lasting(text: string): { readonly part: Part; open(): void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  const part: Part = (_call, { signal }) => {
    signal.addEventListener("abort", () => resolve(""), { once: true });
    return promise;
  };
  return { part, open: () => resolve(text) };
}

/** Calls a tool of a turn. */
export function callerOf({ client }: TurnRequest): Call {
  return async (tool, input = {}) => {
    try {
      const result = await client.callTool(tool, { ...input });
      return isRecord(result) ? { ...result } : { result };
    } catch (error) {
      const code = isRecord(error) || error instanceof Error ? Reflect.get(error, "code") : "";
      return { error: String(code ?? error) };
    }
  };
}

/** A run that leads `lead` through one turn and then waits for a person, so that others go on. */
export interface CollabRun extends AgentsRun {
  readonly clock: ManualClock;
  readonly backend: Played;
  /** Ends it. */
  stop(): Promise<void>;
}

/** What a test may change of such a run. */
export interface CastOptions extends Partial<AgentsRunOptions> {
  readonly clock?: ManualClock;
  readonly backend?: Played;
  /** Of the agent that leads. */
  readonly lead?: Partial<AgentSpec>;
  /** Of its first turn. */
  readonly turn?: TurnOptions;
}

type Played = ReturnType<typeof playedBackend>;

/** Starts the agent `lead`, which may spawn others; children play their parts by id. */
export function runCast(
  cast: Cast,
  { clock = createManualClock(), backend = castBackend(cast), ...options }: CastOptions = {},
): CollabRun {
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("lead", { session: "keep", spawns: true, ...options.lead }));
      const first = await context.turn("lead", "go", options.turn).catch(() => undefined);
      await context.approval({ message: "Go on?" });
      return first?.text ?? "";
    },
    { backend, clock, ...options },
  );
  return {
    ...run,
    clock,
    backend,
    stop: async () => {
      run.owned.interrupt(130);
      await run.owned.parted;
    },
  };
}

/** A backend whose agents play their parts. */
export function castBackend(cast: Cast): Played {
  return playedBackend(async function* (request): AsyncIterable<TurnUpdate> {
    const part = cast[request.agent]?.[request.turn - 1] ?? says("ok");
    try {
      const text = await part(callerOf(request), request);
      yield request.signal.aborted ? { type: "stop", reason: "cancelled" } : said(text);
    } catch (error) {
      yield { type: "error", error: toErrorReport(error) };
    }
  });
}
