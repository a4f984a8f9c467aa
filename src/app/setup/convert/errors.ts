import { defineError } from "../../../foundation/errors.ts";

export const moduleUnloadable = defineError("WORKFLOW_MODULE_UNLOADABLE", {
  message: (details: { file: string; problem: string }) =>
    `the module ${details.file} cannot be loaded: ${details.problem}`,
  about: "A TypeScript file that was named as a workflow is missing or fails while it is loaded.",
});

export const moduleWithoutWorkflow = defineError("WORKFLOW_MODULE_EMPTY", {
  message: (details: { file: string }) => `the module ${details.file} exports no workflow`,
  hint: () => 'export default workflow("name")…, or export it as workflow',
  about:
    "A module that is converted exports what `workflow(...)` of the library gives, as its default or under the name `workflow`.",
});

export const commentsLost = defineError("WORKFLOW_COMMENTS_LOST", {
  message: (details: { file: string }) => `comments of ${details.file} are not carried over`,
  about:
    "A warning. A file that is written anew in another format says the same, but without comments.",
});
