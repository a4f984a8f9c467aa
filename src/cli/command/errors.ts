import { defineError } from "../../foundation/errors.ts";
import { nearestName } from "../../foundation/near-names.ts";

export const usageInvalid = defineError("USAGE_INVALID", {
  message: (details: { problem: string; hint?: string }) => details.problem,
  hint: ({ hint }) => hint,
  about:
    "The command line does not fit: an unknown command or option, a missing argument, or options that exclude each other. `troupe help COMMAND` shows what a command takes.",
});

export const outputUnwritable = defineError("OUTPUT_UNWRITABLE", {
  message: ({ problem }: { problem: string }) => `standard output cannot be written: ${problem}`,
  hint: () =>
    "make room or write elsewhere, then ask again; a run that was followed: troupe show @last",
  about:
    "What a command had to say is not, or not whole, where its standard output leads, for example because the disk is full. What the command did is done. A run that was being carried out is let go with its state saved, as if its reader had gone.",
});

export const codeUnknown = defineError("USAGE_CODE_UNKNOWN", {
  message: (details: { given: string; known: readonly string[] }) =>
    `there is no error code "${details.given}"`,
  hint: ({ given, known }) => {
    const near = nearestName(given.toUpperCase(), known);
    return near === undefined
      ? "a code stands in brackets in an error: error[CODE]"
      : `did you mean "${near}"?`;
  },
  about: "`troupe explain` takes the code that stands in brackets in an error: error[CODE].",
});

export const keyUnknown = defineError("USAGE_KEY_UNKNOWN", {
  message: (details: { given: string; near: string | undefined }) =>
    `"${details.given}" is neither an error code nor a key of workflow files`,
  hint: ({ near }) =>
    near === undefined
      ? "troupe schema workflow prints all keys; a code stands in brackets in an error: error[CODE]"
      : `did you mean "${near}"?`,
  about:
    "`troupe explain` takes an error code, or a key of workflow files alone (maxRetries) or with its place (steps.maxRetries).",
});

export const decisionImpossible = defineError("USAGE_DECISION_IMPOSSIBLE", {
  message: (details: { id: string; kind: string; command: string }) =>
    `${details.id} is a ${details.kind}, which ${details.command} does not decide`,
  hint: ({ id, kind }) =>
    kind === "question" ? `troupe answer ${id} "text"` : "troupe inbox shows how to go on",
  about:
    "Approvals and permissions are decided with approve and reject, questions with answer, and a run that paused itself goes on with resume.",
});

export const demoFolderTaken = defineError("USAGE_DEMO_FOLDER_TAKEN", {
  message: (details: { folder: string }) =>
    `${details.folder} exists and was not made by the demo, so it is left alone`,
  hint: () => "run the demo in another directory, or move that folder away",
  about:
    "The demo works in a folder of its own, ./troupe-demo, and replaces it only if it carries the mark of an earlier demo.",
});

export const templateChosen = defineError("USAGE_TEMPLATE_CHOSEN", {
  message: (details: { template: string; file: string }) =>
    `"${details.template}" is the template that comes with troupe, not the file ${details.file}`,
  hint: ({ file }) => `to use the file, write its path: ${file}`,
  about:
    "A warning. The name of a template stands for the template, whatever files there are. A file is meant when its path or its name with the ending is written.",
});

export const convertedElsewhere = defineError("USAGE_CONVERTED_ELSEWHERE", {
  message: (details: { file: string; output: string }) =>
    `${details.output} does not lie beside ${details.file}, and paths in it are relative to where it lies`,
  hint: () => "look at the paths of prompts and of context, and at what setup does",
  about:
    "A warning. A workflow file names prompts and its context by paths relative to itself, and its setup commands run where it lies. `troupe convert` keeps them as they are.",
});

export const editorMissing = defineError("USAGE_EDITOR_MISSING", {
  message: () => "there is no editor to open: neither VISUAL nor EDITOR is set",
  hint: () => "export EDITOR=vi, or give the text on the command line",
  about:
    "A text is edited in the program that the environment names in VISUAL or EDITOR. It is started without a shell.",
});

export const editorFailed = defineError("USAGE_EDITOR_FAILED", {
  message: (details: { editor: string; problem: string }) =>
    `the editor "${details.editor}" did not do: ${details.problem}`,
  hint: () => "set VISUAL or EDITOR to a program that waits until the text is saved",
  about: "The editor could not be started or did not end well, so nothing was decided.",
});

export const editInvalid = defineError("USAGE_EDIT_INVALID", {
  message: (details: { file: string; problem: string }) =>
    `what was edited cannot be read: ${details.problem}; nothing was decided`,
  hint: ({ file }) => `the text is kept in ${file}`,
  about: "Data is edited as YAML or JSON. What came out of the editor is neither.",
});

export const stopTargetMissing = defineError("USAGE_STOP_TARGET_MISSING", {
  message: (details: { choices: readonly string[] }) =>
    details.choices.length === 0
      ? "nothing runs here that could be stopped"
      : ["name what to stop:", ...details.choices.map((choice) => `  ${choice}`)].join("\n"),
  hint: ({ choices }) =>
    choices.length === 0 ? "troupe runs lists what there was" : "everything: troupe stop --all",
  about: "`troupe stop` takes an agent, an instance or a run; without one it lists what there is.",
});

export const agentNotStandalone = defineError("USAGE_AGENT_NOT_STANDALONE", {
  message: (details: { name: string; run: string }) =>
    `"${details.name}" belongs to the workflow of ${details.run}`,
  hint: ({ name }) => `stop it: troupe stop ${name}`,
  about:
    "`troupe rm` ends agents that `troupe new` has made. Agents of a workflow are stopped, alone or with their instance.",
});

export const workflowNotStanding = defineError("USAGE_WORKFLOW_NOT_STANDING", {
  message: (details: { workflow: string; label: string }) =>
    `${details.workflow} (${details.label}) ends by itself, so it cannot be kept going`,
  hint: ({ workflow }) => `run it in the background instead: troupe run ${workflow} --detach`,
  about:
    "`troupe start` is for workflows whose agents talk until they are stopped (agents as a map, kickoff). A workflow that a pattern or steps lead has an end of its own.",
});

export const outsideAgent = defineError("USAGE_OUTSIDE_AGENT", {
  message: (details: { command: string }) =>
    `${details.command} works only in a process that an agent has started: TROUPE_CONTEXT_TOKEN is not set, or neither TROUPE_CONTEXT_SOCKET nor TROUPE_CONTEXT_URL`,
  hint: () =>
    "it is for programs that speak as their agent; a person uses troupe send, peek and logs",
  about:
    "`troupe context` and `troupe mcp` give the programs that an agent runs Troupe's tools, under the name of that agent. What names the agent is a token in the environment of its processes, which ends with its session.",
});

export const contextUnreachable = defineError("MCP_UNREACHABLE", {
  message: (details: { place: string; problem: string }) =>
    `nobody serves this agent at ${details.place}: ${details.problem}`,
  hint: () => "its session or its run has ended; only the processes of a running turn are served",
  retryable: true,
  about:
    "The process that carries out the run serves its agents on a unix socket, and those in a sandbox on a port, as long as their sessions last. It did not answer there.",
});
