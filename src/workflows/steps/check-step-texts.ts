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
import { STEP_PATHS } from "../../programs/language/pattern-names.ts";
import { scanPromptTemplate } from "../../programs/language/templates/parse-prompt.ts";
import { promptVariables } from "../../programs/language/templates/prompt-template.ts";
import { scanTemplate } from "../../programs/language/templates/template.ts";
import { checkCommandValues, spanOf } from "../checks/check-variables.ts";
import { unknownStep } from "../checks/errors.ts";
import { type LocatedText, listAt, textAt, textList, textsWithin } from "../checks/file-view.ts";
import { placeInText } from "../checks/place-in-text.ts";
import { entryOf } from "../source/source-node.ts";
import { neverBefore, stepIdReserved, unknownContextName } from "./errors.ts";
import { createStepNames, RESERVED_STEP_IDS, type StepNames } from "./step-names.ts";
import { type StepView, stepLabel } from "./step-view.ts";
import type { StepsCheck } from "./steps-check.ts";

/** Checks `input` and every expression and template of the steps: their form, and that each name can have a value there. */
export function checkStepTexts(check: StepsCheck): void {
  const names = createStepNames(check.view);
  for (const step of check.view.all) {
    const place = { check, names, step, roots: rootsOf(step) };
    checkInput(place);
    checkExpression(place, textAt(step.node, "when"));
    for (const key of step.kind?.type.expressions ?? [])
      for (const text of textsWithin(entryOf(step.node, key)?.node)) checkExpression(place, text);
    for (const key of step.kind?.type.templates ?? [])
      for (const text of textsWithin(entryOf(step.node, key)?.node))
        checkTemplate(place, text, key === "command");
    // The only type with a command of its own has it under this name.
    if (step.kind?.type.templates?.includes("command") === true)
      checkCommandValues(check, { command: entryOf(step.node, "command")?.node });
    for (const item of listAt(step.node, "verify")) {
      const command = entryOf(item, "command")?.node;
      for (const text of textList(command)) checkTemplate(place, text, true);
      for (const text of textList(entryOf(item, "file_exists")?.node)) checkTemplate(place, text);
      checkCommandValues(check, { command });
    }
  }
}

/** Names that stand alone in the texts of a step: what it is given beside the context. */
export function rootsOf(step: StepView): readonly string[] {
  const input = textAt(step.node, "input");
  return [
    "input",
    "context",
    "errors",
    ...(input === undefined ? [] : [input.text]),
    ...namesIn(step),
  ];
}

interface Place {
  readonly check: StepsCheck;
  readonly names: StepNames;
  readonly step: StepView;
  readonly roots: readonly string[];
}

function namesIn({ parent }: StepView): readonly string[] {
  if (parent === undefined) return [];
  return [...(parent.kind?.type.names ?? []), ...namesIn(parent)];
}

function checkInput({ check, names, step }: Place): void {
  const input = textAt(step.node, "input");
  if (input === undefined) return;
  const who = `step "${stepLabel(step)}" takes its input from`;
  const problem = RESERVED_STEP_IDS.has(input.text)
    ? { error: stepIdReserved({ what: "the input of a step", id: input.text, isInput: true }) }
    : problemOfName(input.text, who, { names, step });
  if (problem === undefined) return;
  const { error, severity = "error" }: TextProblem = problem;
  check.report(error, input.node, { severity });
}

function checkExpression(place: Place, text: LocatedText | undefined): void {
  if (text === undefined) return;
  try {
    const expression = parseExpression(text.text);
    for (const { error, span } of expressionFaults(expression))
      report(place, text, { error, span });
    for (const { segments, span } of expressionPaths(expression)) {
      const shown = pathText(segments);
      checkPath(place, text, {
        segments,
        span,
        shown,
        unknown: (root, known) =>
          expressionUnknownPath({ path: shown, missing: root, known, span }),
      });
    }
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    const shown = withExample(error, exampleAt(place));
    report(place, text, { error: shown, span: spanOf(error) });
  }
}

function exampleAt({ names, step }: Place): string {
  const earlier = names.known().find((name) => !names.isNeverBefore(name, step));
  return earlier === undefined ? "exists(input)" : `exists(${pathText(["context", earlier])})`;
}

function checkTemplate(place: Place, text: LocatedText, isCommand = false): void {
  const template = scanPromptTemplate(text.text);
  // A command is filled in without blocks.
  const faults =
    isCommand && template.faults.length === 0 ? scanTemplate(text.text).faults : template.faults;
  for (const { error, span } of faults) report(place, text, { error, span });
  for (const { name, segments, span } of promptVariables(template))
    checkPath(place, text, {
      segments,
      span,
      shown: `{{${name}}}`,
      unknown: (_, known) => unknownVariable({ name, known }),
    });
}

interface NamedPath {
  readonly segments: readonly string[];
  readonly span: Offsets;
  readonly shown: string;
  /** The error of a path whose first name means nothing. */
  unknown(root: string, known: readonly string[]): TroupeError;
}

function checkPath(place: Place, text: LocatedText, path: NamedPath): void {
  const { names, roots } = place;
  const { segments, span, shown } = path;
  const [root = "", name] = segments;
  if (root === "steps" && !roots.includes(root)) checkStepPath(place, text, path);
  else if (!roots.includes(root)) {
    const known = [...roots, "steps", ...names.known().map((known) => `context.${known}`)];
    report(place, text, { error: path.unknown(root, known), span });
  } else if (root === "context" && name !== undefined) {
    const problem = problemOfName(name, `${shown} asks for`, place);
    if (problem !== undefined) report(place, text, { ...problem, span });
  } else if (root === "errors" && name !== undefined && !names.isStep(name)) {
    const error = unknownStep({ who: `${shown} names step`, step: name, known: names.known() });
    report(place, text, { error, span });
  }
}

/** A path below `steps`, which stands for the ends of steps unless the file has given the name to something else. */
function checkStepPath(
  place: Place,
  text: LocatedText,
  { segments, span, shown, unknown }: NamedPath,
): void {
  const { names } = place;
  const [, id, ...members] = segments;
  if (id !== undefined && !names.isStep(id)) {
    const error = unknownStep({ who: `${shown} names step`, step: id, known: names.known() });
    report(place, text, { error, span });
  } else if (id === undefined || !STEP_PATHS.includes(members.join("."))) {
    const known = STEP_PATHS.map((member) => `steps.${id ?? "ID"}.${member}`);
    report(place, text, { error: unknown(segments.join("."), known), span });
  } else {
    const problem = problemOfName(id, `${shown} asks for`, place);
    if (problem !== undefined) report(place, text, { ...problem, span });
  }
}

interface TextProblem {
  readonly error: TroupeError;
  readonly severity?: "error" | "warning";
}

function problemOfName(
  name: string,
  who: string,
  { names, step }: Pick<Place, "names" | "step">,
): TextProblem | undefined {
  if (!names.isKnown(name))
    return { error: unknownContextName({ who, name, known: names.known() }) };
  if (!names.isNeverBefore(name, step)) return undefined;
  const error = neverBefore({ who, step: name, place: stepLabel(step) });
  return { error, severity: "warning" };
}

function report(
  { check }: Place,
  text: LocatedText,
  { error, severity = "error", span }: TextProblem & { readonly span: Offsets },
): void {
  check.report(error, placeInText(text, span, check.text), { severity });
}
