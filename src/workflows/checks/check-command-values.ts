import { errorOfCode } from "../../programs/language/templates/render-command.ts";
import { scanTemplate, type TemplateSyntax } from "../../programs/language/templates/template.ts";
import {
  valuesInArgvCode,
  valuesInShellCode,
  withTaskVariable,
} from "../../programs/language/templates/values-in-code.ts";
import type { SourceNode } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { textList } from "./file-view.ts";
import { placeInText } from "./place-in-text.ts";

/** A command of a file: a text for a shell, or a list of arguments. */
export interface WrittenCommand {
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
