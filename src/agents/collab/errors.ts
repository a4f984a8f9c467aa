import { defineError } from "../../foundation/errors.ts";
import { didYouMean } from "../../foundation/near-names.ts";

export const collabNotFound = defineError("COLLAB_NOT_FOUND", {
  message: (details: { agent: string; known: readonly string[] }) =>
    `not_found: you have no agent "${details.agent}"`,
  hint: ({ agent, known }) => didYouMean(agent, known, "yours") ?? "spawn_agent gives you one",
  about:
    "An agent reaches those that it has spawned, those that these have spawned, and those that report to it. Of all others it learns nothing here. Nothing was done.",
});

export const collabOver = defineError("COLLAB_OVER", {
  message: (details: { agent: string }) =>
    `agent "${details.agent}" is shut down and takes no input`,
  hint: ({ agent }) => `resume_agent {"id": "${agent}"} brings it back`,
  about: "The life of the agent is over, or is being ended. Nothing was sent.",
});

export const collabNotOver = defineError("COLLAB_NOT_OVER", {
  message: (details: { agent: string; status: string }) =>
    `agent "${details.agent}" is ${details.status}: there is nothing to resume`,
  hint: ({ agent }) => `send_input {"id": "${agent}", "prompt": ...} gives it something to do`,
  about: "Only agents that are shut down or errored can be resumed.",
});

export const collabNotYours = defineError("COLLAB_NOT_YOURS", {
  message: (details: { agent: string; problem: string }) =>
    `agent "${details.agent}" is not yours to close: ${details.problem}`,
  about:
    "An agent closes those that it has spawned, and all below them; neither itself, nor whoever is above it, nor an agent of the workflow.",
});

export const collabNothing = defineError("COLLAB_NOTHING_TO_WAIT_FOR", {
  message: () => "you have spawned no agents, so there is nothing to wait for",
  hint: () => "call spawn_agent first, or name agents that report to you",
  about: "`wait` without ids waits for all agents that the caller has spawned.",
});

export const collabNameInvalid = defineError("COLLAB_NAME_INVALID", {
  message: (details: { name: string; problem: string }) =>
    `an agent cannot be called "${details.name}": ${details.problem}`,
  hint: () => "leave name out, or choose another one",
  about:
    "The name of an agent is its id: it begins with a letter, has letters, digits, _ and - only, and nobody in the run has had it or is to have it.",
});

export const collabKindUnknown = defineError("COLLAB_KIND_UNKNOWN", {
  message: (details: {
    what: "role" | "type" | "backend";
    name: string;
    known: readonly string[];
  }) => `there is no ${details.what} "${details.name}"`,
  hint: ({ name, known }) => didYouMean(name, known),
  about:
    "Roles are `default` and `worker`. Types are `general-purpose`, `Explore`, `Plan`, `Bash`, and before these the files of .troupe/agents and .claude/agents, of the project if it is trusted and of the user. Backends are those that the workflow uses, and the coding programs that are driven with all of its permissions.",
});

export const collabNotReady = defineError("COLLAB_BACKEND_NOT_READY", {
  message: (details: { backend: string; problem: string }) =>
    `an agent with backend "${details.backend}" cannot run here: ${details.problem}`,
  hint: () => "leave backend out to have one of your own kind",
  about:
    "What the agent runs on is not installed, not signed in, or lacks a setting that only a workflow can give it.",
});

export const collabHeld = defineError("COLLAB_RUN_AT_LIMIT", {
  message: () => "the run has reached a limit: it begins nothing new until a person raises that",
  hint: () => "end your turn",
  about: "A budget of the run is spent. Nothing was spawned or resumed.",
});

export const collabTooManyCalls = defineError("COLLAB_TOO_MANY_CALLS", {
  message: (details: { limit: number }) =>
    `${details.limit} calls of this turn wait already; no more may`,
  hint: () => "name several agents in one call of wait",
  about: "A turn may have only so many calls of `wait` open at a time.",
});

export const collabCannotFork = defineError("COLLAB_CANNOT_FORK", {
  message: (details: { backend: string }) =>
    `an agent on backend "${details.backend}" cannot be forked: nothing of what it has said and heard is at hand`,
  hint: () => "leave fork out, and say in the prompt all that it has to know",
  about:
    "A forked agent begins with the conversation of its parent. Troupe has that of agents on backend `model`, for others on the same backend; programs keep theirs to themselves.",
});
