import { defineError } from "../../foundation/errors.ts";

export const sourceSyntax = defineError("WORKFLOW_SYNTAX", {
  message: (details: { format: string; reason: string; hint?: string }) =>
    `this is not valid ${details.format}: ${details.reason}`,
  hint: (details) => details.hint,
  about:
    "The file cannot be read as YAML 1.2 or, if its name ends in .json, as JSON with comments and trailing commas.",
});

export const sourceEmpty = defineError("WORKFLOW_EMPTY", {
  message: () => "the file holds nothing",
  hint: () => "a workflow needs at least name, pattern and agents",
  about: "A file without content, or with comments only, describes no workflow.",
});

export const duplicateKey = defineError("WORKFLOW_DUPLICATE_KEY", {
  message: (details: { key: string }) => `the key "${details.key}" is here twice`,
  hint: () => "remove one of them",
  about: "A key may stand once in an object; otherwise one of the two values would be lost.",
});

export const forbiddenKey = defineError("WORKFLOW_FORBIDDEN_KEY", {
  message: (details: { key: string }) => `the key "${details.key}" is not allowed anywhere`,
  hint: () => "choose another name",
  about:
    "__proto__, constructor and prototype are refused as keys, so that no file can reach into the program that reads it.",
});

export const tagNotAllowed = defineError("WORKFLOW_TAG", {
  message: (details: { tag: string }) => `the YAML tag ${details.tag} is not allowed`,
  hint: () => "remove it; put quotes around a value that must be a text",
  about: "Workflow files are plain data: YAML tags are refused.",
});

export const tooDeep = defineError("WORKFLOW_TOO_DEEP", {
  message: (details: { limit: number }) => `the file is nested deeper than ${details.limit} levels`,
  about: "Nesting is bounded so that no file can exhaust the program that reads it.",
});

export const tooComplex = defineError("WORKFLOW_TOO_COMPLEX", {
  message: (details: { what: string; limit: number }) =>
    `the file has more than ${details.limit} ${details.what}`,
  hint: () => "split the workflow, or move long texts into files",
  about:
    "The number of values, aliases and escapes of a file is bounded so that no file can exhaust the program that reads it.",
});
