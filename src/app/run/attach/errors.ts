import { defineError } from "../../../foundation/errors.ts";

export const agentBusy = defineError("RUN_AGENT_BUSY", {
  message: (details: { run: string; problem: string }) =>
    `no session of ${details.run} can be taken over: ${details.problem}`,
  hint: ({ run }) => `wait, or let go of the run first: troupe pause ${run}`,
  retryable: true,
  about:
    "A session has one user at a time. `troupe attach --cli` opens it for a person only while no process works with it: the run is over, suspended or paused, or goes on in the background without any agent in a turn.",
});

export const agentNotAttachable = defineError("RUN_AGENT_NOT_ATTACHABLE", {
  message: (details: { agent: string; run: string; problem: string }) =>
    `agent "${details.agent}" of ${details.run} cannot be opened in a program of its own: ${details.problem}`,
  hint: ({ agent, run }) => `see what it does: troupe peek ${agent}@${run}`,
  about:
    "`troupe attach --cli` opens the program of a coding agent on the session that the agent has in a run. That takes a backend with such a program, a session that it can go on with, and an agent that works without a sandbox.",
});

export const agentLent = defineError("RUN_AGENT_LENT", {
  message: (details: { agent: string; run: string; pid: number }) =>
    `a person works in the session of agent "${details.agent}" of ${details.run} (pid ${details.pid})`,
  hint: () => "try again once that program has ended",
  retryable: true,
  about:
    "While `troupe attach --cli` has an agent's own program open, nothing else can be done with the run: the program may change what its agents go on with.",
});

export const agentProgramFailed = defineError("RUN_AGENT_PROGRAM_FAILED", {
  message: (details: { agent: string; program: string; problem: string }) =>
    `the program of agent "${details.agent}" could not be started: ${details.program}: ${details.problem}`,
  hint: () => "troupe doctor says which programs of agents are there",
  about: "The program that `troupe attach --cli` was to open could not be started.",
});
