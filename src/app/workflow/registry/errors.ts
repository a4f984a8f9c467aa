import { defineError } from "../../../foundation/errors.ts";

export const workflowNotVisible = defineError("WORKFLOW_NOT_VISIBLE", {
  message: (details: { id: string; askedBy: string; visibleTo: readonly string[] }) =>
    `the workflow "${details.id}" is not visible to "${details.askedBy}"`,
  hint: ({ id, visibleTo }) =>
    `workflows.visibleTo.${id} of the configuration names: ${visibleTo.length === 0 ? "nobody" : visibleTo.join(", ")}`,
  about:
    "The configuration says which workflows may use this one as a step. People run it by its id or file all the same.",
});

export const workflowDisabled = defineError("WORKFLOW_DISABLED", {
  message: (details: { id: string }) => `the workflow "${details.id}" is disabled`,
  hint: () => "take it out of workflows.disabled in the configuration",
  about: "The configuration has taken this workflow out of use: nobody finds it by its id.",
});

export const workflowNotTrusted = defineError("WORKFLOW_NOT_TRUSTED", {
  message: (details: { id: string; file: string }) =>
    `the workflow "${details.id}" (${details.file}) is not trusted as it is now`,
  hint: ({ file }) =>
    `look at it, then: troupe trust; or name the file, which is consent: troupe run ${file}`,
  about:
    "Workflows of a project that are found by their id take effect once `troupe trust` has shown their files and you agreed; a file that changes is left out again. Naming a file on the command line is consent to run it.",
});

export const workflowIdTwice = defineError("WORKFLOW_ID_TWICE", {
  message: (details: { id: string; files: readonly string[] }) =>
    `the workflow "${details.id}" is in several files: ${details.files.join(", ")}`,
  hint: () => "give each an id of its own",
  about: "An id stands for one workflow; the directory of workflows has two files with the same.",
});

export const workflowDirectoryOutside = defineError("WORKFLOW_DIRECTORY_OUTSIDE", {
  message: (details: { directory: string }) =>
    `the directory of workflows leads out of the project: ${details.directory}`,
  hint: () => "let workflows.dir of the project's configuration name one inside of it",
  about:
    "A project's own configuration may only make directories of the project a place for workflows. That of the user may name any.",
});
