import { defineError } from "../../foundation/errors.ts";

/** What was called, and the run whose agent did it. */
interface CallByAgent {
  readonly command: string;
  readonly run: string;
}

const KNOWN_BY =
  "Whatever a program of a run starts is known by a mark that the kernel hands down and by its ancestors, also in a new session and without any environment; a finite limit of file locks, where that mark is kept, counts too";

export const decisionByAgent = defineError("USAGE_DECISION_BY_AGENT", {
  message: ({ command, run }: CallByAgent) =>
    `${command} was called by an agent of ${run}, and only people decide`,
  hint: () =>
    "ask in a message with @user, or with the tool approval_request; people decide in a terminal of their own",
  about: `Approvals, permissions and answers are decisions of people. ${KNOWN_BY}. It decides only in runs that were started below the same program.`,
});

export const speechByAgent = defineError("USAGE_SPEECH_BY_AGENT", {
  message: ({ command, run }: CallByAgent) =>
    `${command} was called by an agent of ${run}, and it speaks for the person`,
  hint: () => "speak as yourself: with the channel tools, or troupe context send",
  about: `What is sent with this command comes from the person in front of a run. ${KNOWN_BY}. It speaks under its own name, but in runs that were started below the same program.`,
});

export const controlByAgent = defineError("USAGE_CONTROL_BY_AGENT", {
  message: ({ command, run }: CallByAgent) =>
    `${command} was called by an agent of ${run}, and only people do that`,
  hint: () =>
    "ask in a message with @user, or end the turn as BLOCKED; people call it in a terminal of their own. troupe run FILE works here, for as long as its caller",
  about: `What is trusted, which limits hold, what goes on in the background and what becomes of runs is for people to say. ${KNOWN_BY}. It may read everything, start runs that stay in the foreground, and handle those that were started below the same program.`,
});
