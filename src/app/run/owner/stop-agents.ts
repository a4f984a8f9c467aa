import type { Supervisor } from "../../../agents/supervisor.ts";
import type { RunRuntime } from "../../../engine/run-runtime.ts";

/** Ends agents because a person wants it (KCK-4). */
export interface AgentStopper {
  /** Ends one agent: at once if forced, else after the turn that it works on. */
  release(agent: string, isForced: boolean): void;
  /** Ends all agents so, those included that are spawned meanwhile; see RunCommand. */
  stop(isForced: boolean, by: string): void;
}

export interface AgentStopperOptions {
  readonly runtime: RunRuntime;
  readonly supervisor: Supervisor;
  /** Whether the run goes on until it is stopped: it is completed then, else cancelled. */
  readonly isStanding: boolean;
  readonly cancel: (reason: string, by: string) => void;
}

/** How long an agent may go on with its turn, in ms; a person who cannot wait forces it. */
const PATIENCE_MS = 30_000;

/**
 * Stops agents of a run. The program hears of it as of any agent that exits. What was asked for stays in the
 * fold until it is done, so that the next owner goes on with it.
 */
export function createAgentStopper(options: AgentStopperOptions): AgentStopper {
  const { runtime, supervisor, isStanding, cancel } = options;
  const { state } = runtime;
  const release = (agent: string, isForced: boolean) => {
    const patienceMs = isForced ? 0 : PATIENCE_MS;
    supervisor
      .dismiss(agent, "it was stopped", patienceMs)
      .catch((error: unknown) => runtime.fail(error));
  };
  runtime.onAppended((event) => {
    if (event.type !== "agent-spawned") return;
    if (state.commands.some(({ command }) => command.kind === "stop")) release(event.agent, true);
  });
  return {
    release,
    stop: (isForced, by) => {
      if (!isStanding) return cancel("it was stopped", by);
      for (const agent of state.agents.values())
        if (agent.status !== "exited") release(agent.id, isForced);
    },
  };
}
