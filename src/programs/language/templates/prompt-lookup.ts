import type { Json } from "../../../foundation/json.ts";
import type { VariableLookup } from "./render-template.ts";
import type { TemplateVariable } from "./template.ts";
import { valueText } from "./value-text.ts";

/** What a path of a prompt template leads to. What is missing and optional is false in `#if` and empty as text. */
export type PromptValue =
  | { readonly found: true; readonly value: Json }
  | { readonly found: false; readonly isOptional: boolean };

/** Finds the values of prompt templates. Pure. */
export interface PromptLookup {
  find(segments: readonly string[]): PromptValue;
  /** Names for the hint of WORKFLOW_UNKNOWN_VARIABLE. Called for errors only. */
  known(): readonly string[];
}

/** The same values for what has no blocks: commands, arguments, names of channels. */
export function commandLookup(lookup: PromptLookup): VariableLookup {
  const find = ({ segments }: TemplateVariable) => {
    const result = lookup.find(segments);
    if (result.found) return valueText(result.value);
    return result.isOptional ? "" : undefined;
  };
  return Object.defineProperty(find, "known", { get: () => lookup.known() });
}
