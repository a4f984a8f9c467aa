import type { Candidate } from "../../app/setup/completion/candidate.ts";
import { toPrintable } from "../../foundation/printable.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import type { completionCommand } from "../commands/completion.ts";
import { findCandidates } from "../complete/find-candidates.ts";
import { SHELL_SCRIPTS, SHELLS, type Shell } from "../complete/shell-scripts.ts";
import { createValueSource } from "../complete/value-source.ts";

/** `troupe completion SHELL`: prints the script; with words, what may stand at their end. */
export const completionAction: ActionOf<typeof completionCommand> = async (invocation) => {
  const { args, io } = invocation;
  const [name, ...words] = args;
  // The parser takes no other names.
  const shell = SHELLS.find((candidate) => candidate === name) ?? "bash";
  if (words.length === 0) {
    io.stdout.write(SHELL_SCRIPTS[shell]);
    return EXIT.completed;
  }
  const lines = await answer(shell, words, invocation);
  io.stdout.write(lines.map((line) => `${line}\n`).join(""));
  return EXIT.completed;
};

async function answer(
  shell: Shell,
  given: readonly string[],
  invocation: Invocation,
): Promise<readonly string[]> {
  const { words, hidden } = readWords(shell, given);
  try {
    const source = createValueSource(invocation);
    return shellAnswer(
      await findCandidates(words, await invocation.commands(), source),
      shell,
      hidden,
    );
  } catch {
    // Whoever presses a key in a broken project wants no error in the middle of the line.
    return [];
  }
}

function readWords(shell: Shell, given: readonly string[]): ReturnType<typeof readBashLine> {
  if (shell === "bash") return readBashLine(given[0] ?? "", given[1] ?? "");
  if (shell !== "powershell") return { words: given, hidden: "" };
  return { words: [...given.slice(0, -1), (given.at(-1) ?? "").replace(/^=/, "")], hidden: "" };
}

/** What bash says of the line: up to the cursor, and the part of the last word that it would replace. */
interface BashLine {
  /** Without the name of the program; the last one is being typed. */
  readonly words: readonly string[];
  /** What stands before the part that bash replaces, in the same word. */
  readonly hidden: string;
}

/**
 * Reads a line as bash would split it. Nothing is expanded: `$(…)` stays a text. Bash breaks words also at
 * `:`, `=` and `@`, and replaces only what follows; `part` is that.
 */
export function readBashLine(line: string, part: string): BashLine {
  const words = splitWords(line).slice(1);
  const word = words.at(-1) ?? "";
  const replaced = /^[:=@]*$/.test(part) ? "" : part;
  const hidden = word.endsWith(replaced) ? word.slice(0, word.length - replaced.length) : "";
  // The sign @ breaks a word and is replaced with what follows it all the same.
  return { words, hidden: hidden.replace(/@$/, "") };
}

function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  let word = "";
  let isOpen = false;
  let quote = "";
  for (let index = 0; index < line.length; index += 1) {
    const character = line.charAt(index);
    if (quote === "" && /\s/.test(character)) {
      if (isOpen) words.push(word);
      [word, isOpen] = ["", false];
      continue;
    }
    isOpen = true;
    if (character === "\\" && quote !== "'") {
      index += 1;
      word += line.charAt(index);
    } else if (character === quote) quote = "";
    else if (quote === "" && (character === "'" || character === '"')) quote = character;
    else word += character;
  }
  return [...words, word];
}

// A shell may expand what it is offered: `$(…)`, quotes, globs and blanks must not come from the name of a
// file. Such names are not offered; they can still be typed.
const HARMLESS = /^[\p{L}\p{N}_@.=+%,/:-]+$/u;

const MAX_CANDIDATES = 500;

const MAX_ABOUT_CHARS = 72;

/** Candidates as the script of a shell reads them: one line each. `hidden` is what the shell keeps before them. */
export function shellAnswer(
  candidates: readonly Candidate[],
  shell: Shell,
  hidden: string,
): readonly string[] {
  return candidates
    .filter(({ value }) => HARMLESS.test(value))
    .slice(0, MAX_CANDIDATES)
    .map(({ value, about }) => toLine(value.slice(hidden.length), aboutLine(about), shell));
}

function toLine(value: string, about: string, shell: Shell): string {
  switch (shell) {
    case "bash":
      return value;
    case "zsh":
      return about === "" ? zshText(value) : `${zshText(value)}:${about}`;
    case "fish":
      return about === "" ? value : `${value}\t${about}`;
    case "powershell":
      // A bare @ begins a splat there.
      return `${value.startsWith("@") ? `'${value}'` : value}\t${about === "" ? value : about}`;
  }
}

function zshText(text: string): string {
  return text.replaceAll(":", "\\:");
}

function aboutLine(about: string | undefined): string {
  const line = toPrintable((about ?? "").slice(0, 4 * MAX_ABOUT_CHARS)).trim();
  return line.length <= MAX_ABOUT_CHARS ? line : `${line.slice(0, MAX_ABOUT_CHARS - 1)}…`;
}
