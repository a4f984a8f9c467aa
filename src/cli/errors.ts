import { defineError } from "../foundation/errors.ts";
import { didYouMean } from "../foundation/near-names.ts";

export const usageInvalid = defineError("USAGE_INVALID", {
  message: (details: { problem: string; hint?: string }) => details.problem,
  hint: ({ hint }) => hint,
  about:
    "The command line does not fit: an unknown command or option, a missing argument, or options that exclude each other. `troupe help COMMAND` shows what a command takes.",
});

export const codeUnknown = defineError("USAGE_CODE_UNKNOWN", {
  message: (details: { given: string; known: readonly string[] }) =>
    `there is no error code "${details.given}"`,
  hint: ({ given, known }) => didYouMean(given.toUpperCase(), known),
  about: "`troupe explain` takes the code that stands in brackets in an error: error[CODE].",
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
