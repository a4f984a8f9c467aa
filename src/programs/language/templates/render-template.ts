import type { Json } from "../../../foundation/json.ts";
import { isJsonArray } from "../../../foundation/json.ts";
import { unknownVariable } from "../errors.ts";
import type { FilledText } from "./filled-text.ts";
import type { Template, TemplateVariable } from "./template.ts";
import { valueText } from "./value-text.ts";

/** The text of a variable, or undefined when it is not set. */
export interface VariableLookup {
  (variable: TemplateVariable): string | undefined;
  /** Names for the hint of WORKFLOW_UNKNOWN_VARIABLE. */
  readonly known?: readonly string[];
  /** How the variable is written in errors. Defaults to `{{name}}`. */
  readonly form?: "${{";
}

/** Fills in the variables in one pass: values are never read as templates. Raises WORKFLOW_UNKNOWN_VARIABLE. */
export function renderTemplate(template: Template, lookup: VariableLookup): string {
  return template.parts
    .map((part) => (part.kind === "text" ? part.text : variableText(part, lookup)))
    .join("");
}

/**
 * The same in pieces. `sourceOf` says where the value of a variable is from when somebody else wrote it, or gives its
 * pieces. Raises WORKFLOW_UNKNOWN_VARIABLE.
 */
export function fillTemplate(
  template: Template,
  lookup: VariableLookup,
  sourceOf: (variable: TemplateVariable) => string | FilledText | undefined,
): FilledText {
  return template.parts.flatMap((part): FilledText => {
    if (part.kind === "text") return [{ text: part.text }];
    const source = sourceOf(part);
    if (source === undefined) return [{ text: variableText(part, lookup) }];
    return typeof source === "string" ? [{ text: variableText(part, lookup), source }] : source;
  });
}

/** The value of one variable. Raises WORKFLOW_UNKNOWN_VARIABLE. */
export function variableText(variable: TemplateVariable, lookup: VariableLookup): string {
  const text = lookup(variable);
  if (text !== undefined) return variable.filter === undefined ? text : firstLine(text);
  const { known = [], form } = lookup;
  throw unknownVariable({ name: variable.name, known, ...(form === undefined ? {} : { form }) });
}

/** The first line that says something, without the spaces around it. */
function firstLine(text: string): string {
  return /\S.*/.exec(text)?.[0].trimEnd() ?? "";
}

/** Looks variables up in plain values by their path; own properties only. Objects become JSON, null empty text. */
export function lookupIn(values: { readonly [name: string]: Json }): VariableLookup {
  const find = (variable: TemplateVariable) => {
    let value: Json = values;
    for (const segment of variable.segments) {
      const member = memberOf(value, segment);
      if (member === undefined) return undefined;
      value = member;
    }
    return valueText(value);
  };
  return Object.assign(find, { known: knownNames(values) });
}

function memberOf(value: Json, segment: string): Json | undefined {
  if (value === null || typeof value !== "object" || isJsonArray(value)) return undefined;
  return Object.hasOwn(value, segment) ? value[segment] : undefined;
}

function knownNames(values: { readonly [name: string]: Json }): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value !== null && typeof value === "object" && !isJsonArray(value)
      ? knownNames(value).map((inner) => `${name}.${inner}`)
      : [name],
  );
}
