import { defineError } from "../foundation/errors.ts";
import { didYouMean } from "../foundation/near-names.ts";

export const fileNotFound = defineError("FILE_NOT_FOUND", {
  message: (details: { file: string; near: readonly string[] }) =>
    `there is no file ${details.file}`,
  hint: ({ file, near }) => didYouMean(file.split("/").at(-1) ?? file, near),
  about: "The file that was named does not exist.",
});

export const fileUnreadable = defineError("FILE_UNREADABLE", {
  message: (details: { file: string; reason: string }) =>
    `${details.file} cannot be read: ${details.reason}`,
  about:
    "The file exists, but it is a directory or a device, or its permissions forbid reading it.",
});

export const fileTooLarge = defineError("FILE_TOO_LARGE", {
  message: (details: { file: string; sizeBytes: number; limitBytes: number }) =>
    `${details.file} has ${details.sizeBytes} bytes, more than the ${details.limitBytes} that are read`,
  hint: () => "move long texts out of the workflow file",
  about: "Workflow files have at most 1 MiB.",
});

export const fileNotText = defineError("FILE_NOT_TEXT", {
  message: (details: { file: string }) => `${details.file} is not UTF-8 text`,
  hint: () => "save it as UTF-8",
  about: "Workflow files are UTF-8, with or without a byte order mark.",
});

export const fileOfOtherKind = defineError("FILE_OF_OTHER_KIND", {
  message: (details: { file: string; kind: "code" | "markdown" }) =>
    `${details.file} is ${details.kind === "code" ? "a program" : "a text in Markdown"}, not a workflow file`,
  hint: ({ file, kind }) =>
    kind === "code"
      ? `a workflow built in code is run by its program: node ${file}`
      : "an agent in Markdown goes into .troupe/agents, where workflows name it by type",
  about:
    "Workflow files are YAML or JSON. Workflows built in TypeScript or JavaScript are values of a program, which runs them itself; files in Markdown describe agents.",
});

export const shapeUnknown = defineError("WORKFLOW_SHAPE_UNKNOWN", {
  message: (_: { key: string | undefined }) =>
    `this is no workflow: it has none of "pattern", "template", steps with "type", or "agents" as a map`,
  hint: ({ key }) =>
    key === undefined
      ? "a pattern workflow has pattern, agents and steps; a step workflow has steps with type; a kickoff workflow has agents as a map and kickoff"
      : `did you mean "pattern" instead of "${key}"?`,
  about:
    "The shape of a workflow follows from its keys: pattern or template makes a pattern workflow, steps with type a step workflow, agents as a map without pattern a kickoff workflow.",
});

export const workflowInvalid = defineError("WORKFLOW_INVALID", {
  message: (details: {
    file: string;
    problems: readonly { readonly message: string; readonly hint?: string }[];
    /** Whether it was written in code, and no file. */
    isCode?: true;
  }) =>
    `${details.file} is not a valid workflow: ${details.problems[0]?.message ?? "unknown"}${more(details.problems.length)}`,
  hint: ({ file, problems, isCode }) =>
    isCode === true ? problems[0]?.hint : `troupe validate ${file}`,
  about: "The workflow, from a file or written in code, has problems; each has a code of its own.",
});

export const taskMissing = defineError("WORKFLOW_TASK_MISSING", {
  message: (details: { workflow: string; user: string; what?: string }) =>
    `workflow "${details.workflow}" needs ${details.what ?? "a task"}: ${details.user}`,
  hint: ({ what }) =>
    what === undefined
      ? 'give it after the file: troupe run FILE "the task", or --task-file PATH'
      : 'give it after the file: troupe run FILE "the input", or -i key=value, or --input PATH',
  about:
    "The task is {{task}}, the prompt of steps without one, and what agents do in patterns without steps. In a step workflow it is `input`: a text after the file, members by -i, or any JSON by --input.",
});

export const taskUnused = defineError("WORKFLOW_TASK_UNUSED", {
  message: (details: { workflow: string; place?: string; what?: string }) =>
    `workflow "${details.workflow}" does nothing with ${details.what ?? "the task"}`,
  hint: ({ place }) => place ?? "put {{task}} into the prompt of a step",
  about: "A task was given, but no prompt of the workflow uses it.",
});

export const paramUnknown = defineError("WORKFLOW_PARAM_UNKNOWN", {
  message: (details: { param: string; known: readonly string[] }) =>
    `there is no param "${details.param}"`,
  hint: ({ param, known }) => didYouMean(param, known) ?? "this workflow takes no params",
  about: "Params are defined under params in the workflow file.",
});

export const paramMissing = defineError("WORKFLOW_PARAM_MISSING", {
  message: (details: { param: string; description: string | undefined }) =>
    `param "${details.param}" is required${details.description === undefined ? "" : ` (${details.description})`}`,
  hint: ({ param }) => `add -i ${param}=VALUE`,
  about: "A param without a default must be given, unless it says required: false.",
});

export const paramType = defineError("WORKFLOW_PARAM_TYPE", {
  message: (details: { param: string; type: string; given: string }) =>
    `param "${details.param}" must be a ${details.type}, got ${details.given}`,
  about:
    "On the command line a number is written like 1.5 and a boolean as true or false; in a JSON file they have that type.",
});

export const paramValue = defineError("WORKFLOW_PARAM_VALUE", {
  message: (details: { param: string; given: string; values: readonly string[] }) =>
    `param "${details.param}" cannot be ${JSON.stringify(details.given)}`,
  hint: ({ given, values }) => didYouMean(given, values, "one of"),
  about: "An enum takes one of its values.",
});

function more(count: number): string {
  return count > 1 ? ` (and ${count - 1} more)` : "";
}
