import { defineError } from "../foundation/errors.ts";
import { didYouMean } from "../foundation/near-names.ts";

interface LimitReached {
  readonly agent: string;
  readonly limit: number;
  /** Agents that hold the slots. */
  readonly holders: readonly string[];
}

export const agentExists = defineError("AGENT_EXISTS", {
  message: (details: { agent: string }) =>
    `an agent "${details.agent}" is already part of this run`,
  hint: () => "choose another id; ids compare without case",
  about: "Every agent of a run has its own id, compared without regard to case.",
});

export const agentUnknown = defineError("AGENT_UNKNOWN", {
  message: (details: { agent: string; known: readonly string[] }) =>
    `no agent "${details.agent}" takes part in this run`,
  hint: (details) => didYouMean(details.agent, details.known, "agents"),
  about: "The agent was never spawned in this run, or its life is over.",
});

export const agentGone = defineError("AGENT_GONE", {
  message: (details: { agent: string; reason: string }) =>
    `agent "${details.agent}" takes no more turns: ${details.reason}`,
  about: "The agent's life is over, so nothing can be given to it any more.",
});

export const agentInterrupted = defineError("AGENT_INTERRUPTED", {
  message: (details: { agent: string }) =>
    `the turn of agent "${details.agent}" was interrupted before it was done`,
  about:
    "The program that leads this run cut the agent's turn off. Nothing says that its task is done.",
});

export const limitRunning = defineError("AGENT_LIMIT_RUNNING", {
  message: (details: LimitReached) =>
    `agent "${details.agent}" would be number ${details.limit + 1} of at most ${details.limit} live agents`,
  hint: (details) => `release one first: ${list(details.holders)}`,
  about:
    "A run may have only so many live agents at a time. A slot is free again when its agent has exited.",
});

export const limitTotal = defineError("AGENT_LIMIT_TOTAL", {
  message: (details: LimitReached) =>
    `agent "${details.agent}" would be number ${details.limit + 1} of at most ${details.limit} agents in the whole run`,
  hint: (details) => `so far: ${list(details.holders)}`,
  about: "A run may have only so many agents in its whole life, exited ones included.",
});

export const limitDepth = defineError("AGENT_LIMIT_DEPTH", {
  message: (details: LimitReached) =>
    `agent "${details.agent}" would be spawned ${details.limit + 1} levels deep; at most ${details.limit} are allowed`,
  hint: (details) => `its ancestors: ${list(details.holders)}`,
  about: "Agents may spawn agents only so many levels deep.",
});

export const turnTimedOut = defineError("AGENT_TURN_TIMED_OUT", {
  message: (details: { agent: string; timeoutMs: number }) =>
    `agent "${details.agent}" did not end its turn within ${details.timeoutMs} ms`,
  retryable: true,
  about:
    "The turn reached its deadline; the agent's processes were ended. Time in which it waited for a person does not count.",
});

export const turnUnfinished = defineError("AGENT_TURN_UNFINISHED", {
  message: (details: { agent: string }) =>
    `the backend of agent "${details.agent}" ended its turn without saying how`,
  retryable: true,
  about: "A backend must end every turn with a stop reason or an error; this one went silent.",
});

export const toolNotInThisRun = defineError("AGENT_TOOL_NOT_IN_THIS_RUN", {
  message: (details: { tool: string; agent: string }) =>
    `nothing in this run takes "${details.tool}" of agent "${details.agent}"`,
  about:
    "The tool belongs to patterns that work with it (votes, bids, hand-offs); this run's pattern does not.",
});

function list(names: readonly string[]): string {
  return names.length > 8
    ? `${names.slice(0, 8).join(", ")}, … ${names.length - 8} more`
    : names.join(", ");
}
