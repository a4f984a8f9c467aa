import type { SettingFault } from "../../../contracts/ports/step-type.ts";
import { toErrorReport } from "../../../foundation/errors.ts";
import { didYouMean } from "../../../foundation/near-names.ts";
import { parseExpression } from "../../language/expressions/parse-expression.ts";
import { expressionPaths } from "../../language/expressions/syntax.ts";
import { STEP_PATHS, standingNames } from "../../language/pattern-names.ts";
import { errorOfCode } from "../../language/templates/render-command.ts";
import { scanTemplate, templateVariables } from "../../language/templates/template.ts";
import { valuesInArgvCode, valuesInShellCode } from "../../language/templates/values-in-code.ts";
import {
  namedAgents,
  type PatternStepEntry,
  type PatternStepSettings,
} from "./pattern-settings.ts";

/** What the texts of a pattern's steps can name. */
export interface PatternNames {
  readonly variables: ReadonlySet<string>;
  readonly steps: ReadonlySet<string>;
}

/** All that they can name. */
export function patternNames(settings: PatternStepSettings): PatternNames {
  const ids = (settings.steps ?? []).map(({ id }) => id);
  const variables = new Set([
    ...standingNames,
    ...namedAgents(settings).map((agent) => `agents.${agent}.name`),
    ...ids.flatMap((id) => STEP_PATHS.map((path) => `steps.${id}.${path}`)),
  ]);
  return { variables, steps: new Set(ids) };
}

/** What is wrong with the templates, commands and conditions of a step inside of a pattern step. */
export function checkTexts(names: PatternNames, step: PatternStepEntry): readonly SettingFault[] {
  const { id, prompt = "", when, verify = [], compensate = {} } = step;
  const undoing = [compensate.prompt ?? "", compensate.command ?? []].flat();
  const commands = verify.flatMap(({ command = [], file_exists }) => [
    ...(typeof command === "string" ? [command] : command),
    ...(file_exists === undefined ? [] : [file_exists]),
  ]);
  return [
    ...[prompt, ...commands, ...undoing].flatMap((text) => checkTemplate(names, id, text)),
    ...[...verify, compensate].flatMap(({ command }) => checkCommand(id, command)),
    ...(when === undefined ? [] : checkCondition(names, id, when)),
  ];
}

function checkCommand(
  id: string,
  command: string | readonly string[] = [],
): readonly SettingFault[] {
  const partsOf = (text: string) => scanTemplate(text).parts;
  const found =
    typeof command === "string"
      ? valuesInShellCode(partsOf(command))
      : valuesInArgvCode(command.map(partsOf));
  return found.map((one) => {
    const { message, hint } = errorOfCode(one, "braces");
    return fault(`"${id}": ${message}`, hint);
  });
}

/** What is wrong with a text that may have variables. */
export function checkTemplate(
  { variables }: PatternNames,
  id: string,
  text: string,
): readonly SettingFault[] {
  const template = scanTemplate(text);
  return [
    ...template.faults.map(({ error }) => fault(`"${id}": ${error.message}`, error.hint)),
    ...templateVariables(template).flatMap(({ name, segments }) =>
      variables.has(segments.join("."))
        ? []
        : [
            fault(
              `"${id}" uses {{${name}}}, which its pattern does not have`,
              didYouMean(name, variables),
            ),
          ],
    ),
  ];
}

function checkCondition(
  { steps, variables }: PatternNames,
  id: string,
  when: string,
): readonly SettingFault[] {
  return attempt(`"${id}"`, () =>
    expressionPaths(parseExpression(when)).flatMap(({ segments }) => {
      const [root, name = ""] = segments;
      const path = segments.join(".");
      if (variables.has(path)) return [];
      if (root === "steps" && !steps.has(name))
        return [fault(`"${id}" asks for step "${name}"`, didYouMean(name, steps))];
      return [fault(`"${id}" asks for \`${path}\``, didYouMean(path, variables))];
    }),
  );
}

/** What a check finds, or what it throws. */
export function attempt(
  who: string,
  check: () => readonly SettingFault[],
): readonly SettingFault[] {
  try {
    return check();
  } catch (error) {
    const { message, hint } = toErrorReport(error);
    return [fault(`${who}: ${message}`, hint)];
  }
}

/** Something that is wrong with the steps. */
export function fault(problem: string, hint?: string): SettingFault {
  return { key: "steps", problem, ...(hint === undefined ? {} : { hint }) };
}
