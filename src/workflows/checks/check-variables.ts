import { TroupeError } from "../../foundation/errors.ts";
import {
  expressionUnknownPath,
  type Offsets,
  unknownVariable,
  withExample,
} from "../../programs/language/errors.ts";
import { expressionFaults } from "../../programs/language/expressions/check-expression.ts";
import { parseExpression } from "../../programs/language/expressions/parse-expression.ts";
import { expressionPaths, pathText } from "../../programs/language/expressions/syntax.ts";
import { errorOfCode } from "../../programs/language/templates/render-command.ts";
import {
  scanTemplate,
  type TemplateSyntax,
  templateVariables,
} from "../../programs/language/templates/template.ts";
import {
  valuesInArgvCode,
  valuesInShellCode,
  withTaskVariable,
} from "../../programs/language/templates/values-in-code.ts";
import { blockKeyOf } from "../../programs/primitives/own-turns.ts";
import { entryOf, type SourceNode } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { checkEnvironment } from "./check-environment.ts";
import {
  type LocatedItem,
  type LocatedText,
  listAt,
  memberTexts,
  textAt,
  textList,
} from "./file-view.ts";
import { placeInText } from "./place-in-text.ts";
import { createScopes, type VariableScope } from "./variable-scope.ts";

/** Checks every template and condition: their form, and that each variable will have a value there. */
export function checkVariables(context: CheckContext): void {
  const { view } = context;
  checkEnvironment(
    context,
    view.root,
    [...view.agents, ...view.steps].map(({ node }) => node),
  );
  const scopes = createScopes(context);
  const options = entryOf(view.root, "options")?.node;
  checkTemplate(context, textAt(options, "channel"), scopes.channel);
  checkTemplate(context, textAt(entryOf(options, "shadow")?.node, "task"), scopes.start);
  checkTemplate(context, goalOf(context), scopes.start);
  for (const agent of view.agents) {
    checkTemplate(context, textAt(agent.node, "name"), scopes.agentName);
    for (const text of agentTexts(agent)) checkTemplate(context, text, scopes.start);
    checkCommandValues(context, commandOf(agent));
  }
  for (const step of view.steps) {
    const scope = scopes.step(step);
    for (const text of stepTexts(step)) checkTemplate(context, text, scope.seen);
    checkCondition(context, textAt(step.node, "when"), scope.seen);
    checkCommandValues(context, { command: entryOf(step.node, "command")?.node });
    for (const text of undoingTexts(step)) checkTemplate(context, text, scope.undoing);
    checkCommandValues(context, { command: undoingCommand(step) });
    for (const check of listAt(step.node, "verify"))
      checkCommandValues(context, { command: entryOf(check, "command")?.node });
  }
}

/** What the block of the pattern says that its agents are to do together. */
function goalOf({ view, pattern }: CheckContext): LocatedText | undefined {
  if (pattern?.goalKey === undefined) return undefined;
  return textAt(entryOf(view.root, blockKeyOf(pattern))?.node, pattern.goalKey);
}

/** What an agent starts, as it is written. */
export function commandOf({ node }: LocatedItem): WrittenCommand {
  return { command: entryOf(node, "command")?.node, args: entryOf(node, "args")?.node };
}

/** The texts of an agent that may hold variables. */
export function agentTexts({ node }: LocatedItem): readonly (LocatedText | undefined)[] {
  return [
    textAt(node, "name"),
    textAt(node, "task"),
    textAt(node, "systemPrompt"),
    ...textList(entryOf(node, "command")?.node),
    ...textList(entryOf(node, "args")?.node),
    ...memberTexts(entryOf(node, "env")?.node),
  ];
}

function stepTexts({ node }: LocatedItem): readonly (LocatedText | undefined)[] {
  const checks = listAt(node, "verify");
  return [
    textAt(node, "prompt"),
    ...textList(entryOf(node, "command")?.node),
    ...memberTexts(entryOf(node, "env")?.node),
    ...checks.flatMap((check) => [
      ...textList(entryOf(check, "command")?.node),
      textAt(check, "fileExists"),
    ]),
  ];
}

function undoingTexts(step: LocatedItem): readonly (LocatedText | undefined)[] {
  const prompt = textAt(entryOf(step.node, "compensate")?.node, "prompt");
  return [prompt, ...textList(undoingCommand(step))];
}

function undoingCommand({ node }: LocatedItem): SourceNode | undefined {
  return entryOf(entryOf(node, "compensate")?.node, "command")?.node;
}

function checkTemplate(
  context: CheckContext,
  text: LocatedText | undefined,
  scope: VariableScope,
): void {
  if (text === undefined) return;
  const template = scanTemplate(text.text);
  for (const { error, span } of template.faults) report(context, text, { error, span });
  for (const { name, segments, span } of templateVariables(template)) {
    const error = scope.problemOf(segments, `{{${name}}}`, () =>
      unknownVariable({ name, known: scope.known() }),
    );
    if (error !== undefined) report(context, text, { error, span });
  }
}

function checkCondition(
  context: CheckContext,
  text: LocatedText | undefined,
  scope: VariableScope,
): void {
  if (text === undefined) return;
  try {
    const expression = parseExpression(text.text);
    for (const fault of expressionFaults(expression)) report(context, text, fault);
    for (const { segments, span } of expressionPaths(expression)) {
      const path = pathText(segments);
      const error = scope.problemOf(segments, path, () =>
        expressionUnknownPath({ path, missing: path, known: scope.known(), span }),
      );
      if (error !== undefined) report(context, text, { error, span });
    }
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    const shown = withExample(error, exampleOf(scope));
    report(context, text, { error: shown, span: spanOf(error) });
  }
}

function exampleOf(scope: VariableScope): string {
  const status = scope.known().find((name) => name.endsWith(".status"));
  return status === undefined ? 'contains(task, "text")' : `${status} == "completed"`;
}

/** Where in its text the fault of an expression lies. */
export function spanOf(error: TroupeError): Offsets {
  const details: unknown = error.details;
  const whole = { start: 0, end: 0 };
  if (typeof details !== "object" || details === null || !("span" in details)) return whole;
  const { span } = details;
  if (typeof span !== "object" || span === null || !("start" in span) || !("end" in span))
    return whole;
  const { start, end } = span;
  return typeof start === "number" && typeof end === "number" ? { start, end } : whole;
}

function report(
  context: CheckContext,
  text: LocatedText,
  fault: { readonly error: TroupeError; readonly span: Offsets },
): void {
  context.report(fault.error, placeInText(text, fault.span, context.text));
}

/** A command of a file: a text for a shell, or a list of arguments. */
interface WrittenCommand {
  readonly command: SourceNode | undefined;
  /** Arguments that come after those of the command. */
  readonly args?: SourceNode | undefined;
  readonly syntax?: TemplateSyntax;
}

/** Checks that no value is put where a program that the command runs reads code (T6). */
export function checkCommandValues(
  { report, text }: Pick<CheckContext, "report" | "text">,
  { command, args, syntax = "braces" }: WrittenCommand,
): void {
  const words = textList(command);
  const [whole] = words;
  if (command?.kind !== "list" && whole !== undefined) {
    for (const found of valuesInShellCode(scanTemplate(whole.text, syntax).parts))
      report(errorOfCode(found, syntax), placeInText(whole, found.variable.span, text));
    return;
  }
  const all = [...words, ...textList(args)];
  const parsed = all.map((word) => withTaskVariable(scanTemplate(word.text, syntax).parts));
  for (const found of valuesInArgvCode(parsed)) {
    const word = all[parsed.findIndex((parts) => parts.includes(found.variable))];
    if (word !== undefined)
      report(errorOfCode(found, syntax), placeInText(word, found.variable.span, text));
  }
}
