import { defineError } from "../../foundation/errors.ts";
import { didYouMean } from "../../foundation/near-names.ts";

export const unknownMention = defineError("WORKFLOW_UNKNOWN_MENTION", {
  message: (details: { name: string; known: readonly string[] }) =>
    `the kickoff mentions @${details.name}, which is no agent`,
  hint: ({ name, known }) => didYouMean(name, known, "agents"),
  about:
    "The kickoff wakes the agents that its own text mentions with @. An unknown name wakes nobody; when all names are unknown the workflow could not begin, so it is refused.",
});

export const nobodyMentioned = defineError("WORKFLOW_NOBODY_MENTIONED", {
  message: (_: { known: readonly string[] }) => "the kickoff mentions no agent, so it wakes nobody",
  hint: ({ known }) => `mention who begins: @${known[0] ?? "NAME"}`,
  about:
    "The kickoff wakes the agents that its own text mentions with @; what its variables hold does not count. Nobody is mentioned, so the run is over at once.",
});

export const kickoffMissing = defineError("WORKFLOW_KICKOFF_MISSING", {
  message: (details: { workflow: string }) =>
    `workflow "${details.workflow}" has no kickoff, so nothing would ever happen in a run`,
  hint: () => "add kickoff, or let its agents wait for messages: troupe start FILE",
  about:
    "`troupe run` posts the kickoff and ends when nobody has anything left to do. Without a kickoff the agents wait to be written to, which only `troupe start` lets them do.",
});

export const nothingShared = defineError("WORKFLOW_NOTHING_SHARED", {
  message: (details: { agents: number }) =>
    `the ${details.agents} agents share no channel, so they cannot hear each other`,
  hint: () =>
    "add context: (empty) for a channel and a document; a file of agent-worker has both: --from agent-worker",
  about:
    "Agents talk in the channel that context switches on. Without it each one only gets the kickoff that mentions it and what people send.",
});

export const promptUnreadable = defineError("WORKFLOW_PROMPT_FILE", {
  message: (details: {
    place: string;
    path: string;
    problem: string;
    near: readonly string[];
    isMissing: boolean;
  }) => `${details.place}: ${details.path} cannot be read: ${details.problem}`,
  hint: ({ path, near, isMissing }) => {
    const inline =
      "a prompt of one line that ends in .md or .txt names a file; write more than that to mean the text";
    return isMissing
      ? (didYouMean(path.split("/").at(-1) ?? path, near, "files") ?? inline)
      : undefined;
  },
  about:
    "A system_prompt of one line that ends in .md or .txt is the path of a UTF-8 file, relative to the workflow file and inside the project. It is read when the workflow is loaded and may have 256 KiB.",
});

export const setupVariable = defineError("WORKFLOW_SETUP_VARIABLE", {
  message: (details: { name: string; problem: string }) =>
    `the output of a setup command cannot be called "${details.name}": ${details.problem}`,
  hint: () => "choose another name",
  about:
    "as names the variable that holds the output of a setup command: letters, digits, _ and -, once in a file, and no name that has a meaning already.",
});
