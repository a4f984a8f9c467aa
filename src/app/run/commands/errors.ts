import { formatDuration } from "../../../foundation/duration.ts";
import { defineError } from "../../../foundation/errors.ts";
import { didYouMean } from "../../../foundation/near-names.ts";

export const waitOver = defineError("LIMIT_WAIT_TIME", {
  message: (details: { run: string; waitedMs: number; agents: readonly string[] }) =>
    `no answer of ${details.agents.join(", ")} within ${formatDuration(details.waitedMs)}`,
  hint: ({ run, agents: [first = "agent"] }) => `it may still come: troupe peek ${first}@${run} -f`,
  about:
    "A command waited for an answer as long as it was told to. The message was taken and the run goes on.",
});

export const answerMissing = defineError("RUN_NO_ANSWER", {
  message: (details: { run: string; missing: readonly { agent: string; reason: string }[] }) =>
    details.missing.length === 0
      ? `nobody was addressed in ${details.run}, so nobody answers`
      : details.missing
          .map(({ agent, reason }) => `${agent} of ${details.run} gave no answer: ${reason}`)
          .join("\n"),
  hint: ({ run, missing: [first] }) =>
    first === undefined
      ? "name an agent, or mention one in the text: @agent"
      : `see what it did: troupe peek ${first.agent}@${run}`,
  about:
    "A command waited for the turns that took a message. One of them failed, its agent or its run ended before, or nobody was addressed. The message itself was taken.",
});

export const mentionUnknown = defineError("MESSAGE_UNKNOWN_MENTION", {
  message: (details: { names: readonly string[]; known: readonly string[] }) =>
    `nobody is called ${details.names.map((name) => `@${name}`).join(", ")}`,
  hint: ({ names: [first = ""], known }) => didYouMean(first, known, "agents"),
  about:
    "A warning. The message was posted, and a name after an @ in it is that of no agent, so it woke nobody.",
});

export const attachedRefused = defineError("RUN_ATTACHED_REFUSED", {
  message: (details: { file: string; problem: string }) =>
    `@${details.file} cannot be shown to the agent: ${details.problem}`,
  hint: () => "name ordinary files, at most 20 in one message",
  about:
    "A text that a person writes in a chat may name files of the project as @path. Devices, pipes and sockets have no end, and more than 20 files are refused, so that none is left out unnoticed.",
});

export const attachedOutside = defineError("RUN_ATTACHED_OUTSIDE", {
  message: (details: { file: string; root: string }) =>
    `@${details.file} lies outside of the project ${details.root}, so it is not shown to the agent`,
  hint: () => "copy it into the project, or write its text",
  about:
    "A text that a person writes in a chat may name files of the project as @path. Those outside, also behind links, are not taken.",
});
