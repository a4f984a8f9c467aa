import { defineError } from "../../foundation/errors.ts";
import { hintForKey } from "./words-of-others.ts";

export const unknownKey = defineError("WORKFLOW_UNKNOWN_KEY", {
  message: (details: { key: string; place: string; known: readonly string[] }) =>
    `unknown key "${details.key}" in ${details.place}`,
  hint: ({ key, known }) => hintForKey(key, known),
  about:
    "Keys that troupe does not know are errors, because a misspelt key would change nothing silently. Keys of pattern workflows are in camelCase, those of step workflows in snake_case. Keys of your own begin with x- and stand at the top level.",
});

export const wrongType = defineError("WORKFLOW_TYPE", {
  message: (details: { place: string; expected: string; found: string; hint?: string }) =>
    `${details.place} must be ${details.expected}, got ${details.found}`,
  hint: (details) => details.hint,
  about:
    "A value has another kind than its key wants: text, number, true or false, list or object.",
});

export const wrongValue = defineError("WORKFLOW_VALUE", {
  message: (details: { place: string; problem: string; hint?: string }) =>
    `${details.place} ${details.problem}`,
  hint: (details) => details.hint,
  about: "A value has the right kind but is not one of those that its key takes.",
});

export const missingKey = defineError("WORKFLOW_MISSING_KEY", {
  message: (details: { key: string; place: string; hint?: string }) =>
    `the key "${details.key}" is missing in ${details.place}`,
  hint: (details) => details.hint,
  about: "A key that has no default must be written.",
});
