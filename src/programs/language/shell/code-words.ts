import type { ShellWord } from "./shell-commands.ts";
import { afterOptions, programName } from "./wrappers.ts";

/** Which words of a command a program reads as code: those behind an option, or all behind so many operands. */
type CodeRule =
  | { readonly option: RegExp }
  | { readonly operands: number; readonly valued: readonly string[] };

const SHELL: CodeRule = { option: /^-[A-Za-z]*c$/ };
const COMMAND_OPTION: CodeRule = { option: /^(?:-c|--command|--session-command)$/ };
const ALL: CodeRule = { operands: 0, valued: [] };
const SSH_VALUED = [..."BbcDEeFIiJLlmOopQRSWw"].map((letter) => `-${letter}`);
const RULES: readonly (readonly [RegExp, readonly CodeRule[]])[] = [
  [/^(?:ba|da|a|z|k|mk|c|tc|fi)?sh$/, [SHELL]],
  [/^(?:su|runuser|script|flock|sg)$/, [COMMAND_OPTION]],
  [/^(?:python|pypy)[\d.]*$/, [{ option: /^-[A-Za-z]*c$/ }]],
  [/^(?:node|nodejs|deno|bun|tsx)$/, [{ option: /^(?:-e|-p|-pe|--eval|--print|eval)$/ }]],
  [/^(?:perl|ruby|lua[\d.]*|Rscript)$/, [{ option: /^-\w*[eE]$/ }]],
  [/^php$/, [{ option: /^-[rBRE]$/ }]],
  [/^(?:psql|mysql|mariadb)$/, [{ option: /^(?:-c|-e|--command|--execute)$/ }]],
  [/^(?:eval|trap|watch|parallel)$/, [ALL]],
  [/^ssh$/, [{ operands: 1, valued: SSH_VALUED }]],
  [/^sqlite3$/, [{ operands: 1, valued: ["-cmd", "-init", "-separator"] }]],
  // The first text is the program of these; sed can run others from it.
  [/^(?:[gm]?awk|g?sed)$/, [{ option: /^(?:-e|-\w*e|--expression)$/ }, ALL]],
  [/^env$/, [{ option: /^(?:-S|--split-string)$/ }]],
];

const MOST_WORDS = 1000;

/** A word that a program reads as code, and the name of the program. */
export interface CodeWord {
  readonly text: string;
  readonly program: string;
}

/** The words of a command that are code for some program among them, wherever that stands: `sudo sh -c …`. */
export function codeWords(words: readonly ShellWord[]): readonly CodeWord[] {
  return words.flatMap(({ text }, at) => {
    const program = programName(text);
    const rules = RULES.find(([name]) => name.test(program))?.[1];
    if (rules === undefined) return [];
    const behind = words.slice(at + 1, at + 1 + MOST_WORDS);
    return rules.flatMap((rule) =>
      codeBehind(behind, rule).map((word) => ({ text: word.text, program })),
    );
  });
}

function codeBehind(words: readonly ShellWord[], rule: CodeRule): readonly ShellWord[] {
  if ("operands" in rule) return afterOptions(words, rule);
  return words.filter((_word, at) => rule.option.test(words[at - 1]?.text ?? ""));
}
