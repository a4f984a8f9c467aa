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

export const agentStuck = defineError("AGENT_STUCK", {
  message: (details: { agent: string; observation: string }) =>
    `agent "${details.agent}" is stuck: ${details.observation}`,
  hint: () => "its log has all that it printed: troupe logs; `idleTimeout` says how long to wait",
  retryable: true,
  about:
    "An agent showed no sign of life for its `idleTimeout`, called the same tool with the same input again and again, or asked its model in vain for too long. It was talked to, cut off with what was seen, and started anew, and was stuck again.",
});

export const agentNoTurn = defineError("AGENT_NO_TURN", {
  message: (details: { agent: string }) =>
    `agent "${details.agent}" has no running turn to call a tool in`,
  hint: () => "call tools while the turn runs; what comes after it is refused",
  about:
    "What an agent asks for belongs to one of its turns, whose end settles it. The call came before a turn began or after it was over, for example from a process that the turn had left behind. Nothing was done.",
});

export const recordLost = defineError("AGENT_RECORD_LOST", {
  message: (details: { agent: string; session: string; ref: string }) =>
    `the record of session "${details.session}" of agent "${details.agent}" cannot be read: entry ${details.ref} is not whole`,
  hint: () => "let the agent start anew: `onCrash: restart`",
  about:
    "A session of a model writes itself down in the journal of its run, each entry naming the one before it. One of them is not there or is no entry.",
});

export const tooManyApprovals = defineError("AGENT_TOO_MANY_APPROVALS", {
  message: (details: { agent: string; limit: number; open: readonly string[] }) =>
    `${details.open.length} requests of agent "${details.agent}" wait for a person; at most ${details.limit} may`,
  hint: (details) => `wait for a decision on one of them first: ${list(details.open)}`,
  about:
    "A person who is asked too much at once stops reading. An agent may have only so many requests for approval open at a time.",
});

export const tooManyRecords = defineError("AGENT_TOO_MANY_RECORDS", {
  message: (details: { agent: string; limit: number }) =>
    `agent "${details.agent}" has added ${details.limit} times to the trajectory of this run, which is as often as it may`,
  hint: () => "go on without: what the run does is told anyway",
  about:
    "A trajectory is for people and agents who do the like later, and what says too much is not read. An agent may add to it 100 times in a run.",
});

export const shadowInvalid = defineError("AGENT_SHADOW_INVALID", {
  message: (details: { agent: string; of: string; problem: string }) =>
    `agent "${details.agent}" cannot be the shadow of "${details.of}", ${details.problem}`,
  hint: () => "let it watch an agent of its own run that is no shadow",
  about:
    "A shadow follows one other agent, which has to be there before it. Shadows have no shadows, so that nobody hears only echoes.",
});

export const shadowPrompted = defineError("AGENT_SHADOW_PROMPTED", {
  message: (details: { agent: string; of: string }) =>
    `agent "${details.agent}" is the shadow of "${details.of}" and takes no prompts`,
  hint: () => "write to it: a message can make it speak",
  about:
    "What a shadow works on are messages. It has no step, so no program can give it one, and it can end no step of the agent that it watches.",
});

function list(names: readonly string[]): string {
  return names.length > 8
    ? `${names.slice(0, 8).join(", ")}, … ${names.length - 8} more`
    : names.join(", ");
}
