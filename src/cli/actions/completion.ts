import type { Action, Invocation } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { readBashLine } from "../complete/bash-line.ts";
import { findCandidates } from "../complete/find-candidates.ts";
import { shellAnswer } from "../complete/shell-answer.ts";
import { SHELL_SCRIPTS, SHELLS, type Shell } from "../complete/shell-scripts.ts";
import { createValueSource } from "../complete/value-source.ts";

/** `troupe completion SHELL`: prints the script; with words, what may stand at their end. */
export const completionAction: Action = async (invocation) => {
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
    return shellAnswer(await findCandidates(words, invocation.commands, source), shell, hidden);
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
