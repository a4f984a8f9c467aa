import type { TroupeError } from "../../../foundation/errors.ts";
import { valueInCode, valueTooLarge } from "../errors.ts";
import { advanceShell, initialShellState, referenceIn } from "../shell/shell-position.ts";
import type { VariableLookup } from "./render-template.ts";
import { variableText } from "./render-template.ts";
import type { TemplatePart, TemplateSyntax, TemplateVariable } from "./template.ts";
import { parseTemplate } from "./template.ts";
import { type ValueInCode, valuesInArgvCode, valuesInShellCode } from "./values-in-code.ts";

const MAX_VALUE_BYTES = 65_536;

/** A command without placeholders, and the environment that its values travel in. */
export interface RenderedCommand<Command extends string | readonly string[]> {
  readonly command: Command;
  readonly env: { readonly [name: string]: string };
}

/**
 * Puts values into an argv, each as text of its own element. No shell sees them.
 * Raises WORKFLOW_UNKNOWN_VARIABLE, WORKFLOW_TEMPLATE_SYNTAX, WORKFLOW_VALUE_IN_CODE, WORKFLOW_VALUE_TOO_LARGE.
 */
export function renderArgv(
  argv: readonly string[],
  lookup: VariableLookup,
  syntax: TemplateSyntax = "braces",
): readonly string[] {
  const parsed = argv.map((element) => parseTemplate(element, syntax).parts);
  assertNoValueInCode(parsed, syntax);
  return parsed.map((parts) =>
    parts.map((part) => (part.kind === "text" ? part.text : boundedValue(part, lookup))).join(""),
  );
}

/**
 * Replaces the variables of a shell command by quoted references to environment variables, so that
 * no value is ever read as shell text. Raises like renderArgv.
 */
export function renderShell(
  text: string,
  lookup: VariableLookup,
  syntax: TemplateSyntax = "braces",
): RenderedCommand<string> {
  const names = new Map<string, string>();
  const env: { [name: string]: string } = {};
  let state = initialShellState;
  let command = "";
  const { parts } = parseTemplate(text, syntax);
  const [refused] = valuesInShellCode(parts);
  if (refused !== undefined) throw errorOfCode(refused, syntax);
  for (const part of parts) {
    if (part.kind === "text") {
      state = advanceShell(state, part.text);
      command += part.text;
      continue;
    }
    const name = names.get(part.name) ?? `TROUPE_VALUE_${names.size + 1}`;
    names.set(part.name, name);
    env[name] = boundedValue(part, lookup);
    command += referenceIn(state, name);
    state = advanceShell(state, "x");
  }
  return { command, env };
}

/** Renders a command of either form. An argv needs no environment. Raises like renderArgv. */
export function renderCommand(
  command: string | readonly string[],
  lookup: VariableLookup,
  syntax: TemplateSyntax = "braces",
): RenderedCommand<string | readonly string[]> {
  if (typeof command === "string") return renderShell(command, lookup, syntax);
  return { command: renderArgv(command, lookup, syntax), env: {} };
}

/** Raises WORKFLOW_VALUE_IN_CODE for a list of arguments of which one is code with a value in it. */
export function assertNoValueInCode(
  argv: readonly (readonly TemplatePart[])[],
  syntax: TemplateSyntax,
): void {
  const [refused] = valuesInArgvCode(argv);
  if (refused !== undefined) throw errorOfCode(refused, syntax);
}

/** What is wrong with a value at such a place. */
export function errorOfCode(
  { variable: { name }, place, program }: ValueInCode,
  syntax: TemplateSyntax,
): TroupeError {
  return valueInCode({
    ...{ name, place },
    ...(program === undefined ? {} : { program }),
    ...(syntax === "dollar" ? { form: "${{" } : {}),
  });
}

function boundedValue(variable: TemplateVariable, lookup: VariableLookup): string {
  const text = variableText(variable, lookup);
  const sizeBytes = new TextEncoder().encode(text).length;
  if (sizeBytes > MAX_VALUE_BYTES)
    throw valueTooLarge({
      name: variable.name,
      sizeBytes,
      limitBytes: MAX_VALUE_BYTES,
      ...(lookup.form === undefined ? {} : { form: lookup.form }),
    });
  // Neither argv nor the environment can hold NUL.
  return text.replaceAll("\0", "\uFFFD");
}
