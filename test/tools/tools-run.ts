import { createScriptBackend } from "../../src/agents/backends/script/script-backend.ts";
import type { AgentSpec } from "../../src/contracts/agent.ts";
import type { Context } from "../../src/contracts/ports/context.ts";
import type { Json } from "../../src/foundation/json.ts";
import { createManualClock, type ManualClock } from "../../src/testing/manual-clock.ts";
import { type AgentsRun, type AgentsRunOptions, runAgents } from "../agents/agents-run.ts";
import { createTestHost } from "../agents/backends/test-host.ts";

/** Agents with scripted turns. */
export interface ScriptedAgent extends Partial<AgentSpec> {
  readonly id: string;
  readonly script: readonly Json[];
}

/** An entry of a script that calls a tool. */
export function call(tool: string, input: Json = {}): Json {
  return { call: { tool, arguments: input } };
}

/** A scripted turn that calls tools. */
export function turnOf(...actions: readonly Json[]): Json {
  return { do: [...actions], say: "ok" };
}

/** What tools answered, in order. */
export interface ToolAnswer {
  readonly tool: string;
  readonly isError: boolean;
  /** Parsed, unless it is an error. */
  readonly result: Json;
}

/** Runs scripted agents over the memory store, all with their tools, and lets `program` lead them. */
export function runScripts(
  agents: readonly ScriptedAgent[],
  program: (context: Context) => Promise<Json>,
  options: Partial<AgentsRunOptions> & { readonly clock?: ManualClock } = {},
): AgentsRun {
  const { clock = createManualClock() } = options;
  const backend = createScriptBackend({ host: createTestHost(), clock });
  return runAgents(
    async (context) => {
      for (const { script, ...spec } of agents)
        await context.spawn({ backend: "script", settings: { script }, ...spec });
      return program(context);
    },
    { ...options, backend, clock },
  );
}

/** One turn each, in order. */
export function oneTurnEach(...ids: readonly string[]): (context: Context) => Promise<Json> {
  return async (context) => {
    for (const id of ids) await context.turn(id, "go");
    return null;
  };
}

/** What the tools of an agent answered. */
export function answersTo(run: AgentsRun, agent: string): readonly ToolAnswer[] {
  return run
    .all("tool-returned")
    .filter((event) => event.agent === agent)
    .map(({ tool, isError, result }) => ({
      tool,
      isError,
      result: isError ? result : JSON.parse(result),
    }));
}
