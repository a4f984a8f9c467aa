import type { Block } from "./pages.ts";

/** A command that a page shows, and what it says the command prints. */
export interface ShownCommand {
  readonly command: string;
  readonly output: readonly string[];
  /** First line of the output in the page, from 1. */
  readonly line: number;
  /** What a following `echo $?` shows, else 0. */
  readonly exitCode: number;
}

/** The commands of a block of `$ command` lines. Raises when it does not begin with one. */
export function parseConsole(block: Block): readonly ShownCommand[] {
  const shown: { command: string; output: string[]; line: number; exitCode: number }[] = [];
  let isExitCode = false;
  for (const [index, line] of block.lines.entries()) {
    const last = shown.at(-1);
    if (line === "$ echo $?") isExitCode = true;
    else if (line.startsWith("$ ")) {
      isExitCode = false;
      shown.push({
        command: line.slice(2),
        output: [],
        line: block.line + index + 2,
        exitCode: 0,
      });
    } else if (last === undefined) throw new Error(`line ${block.line}: no command before ${line}`);
    else if (isExitCode) last.exitCode = Number(line);
    else last.output.push(line);
  }
  return shown;
}
