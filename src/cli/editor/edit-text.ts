import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Invocation } from "../command/command.ts";
import { editorFailed, editorMissing, usageInvalid } from "../command/errors.ts";
import type { Io } from "../terminal/io.ts";

/** A text that a person has edited, in a file that only she can read. */
export interface EditedText {
  readonly text: string;
  /** Where the text is until `discard`. */
  readonly file: string;
  /** Removes the file; whoever cannot use the text leaves it there. */
  discard(): Promise<void>;
}

/**
 * Opens a text in the editor of the person at the terminal: VISUAL, else EDITOR, started without a shell.
 * Raises USAGE_INVALID without a terminal, USAGE_EDITOR_MISSING, USAGE_EDITOR_FAILED.
 */
export async function editText(
  given: { readonly text: string; readonly name: string },
  { io, settings }: Pick<Invocation, "io" | "settings">,
): Promise<EditedText> {
  if (!settings.mayAsk) throw usageInvalid({ problem: "there is no terminal to edit in" });
  const argv = editorOf(io);
  const directory = await mkdtemp(join(tmpdir(), "troupe-edit-"));
  const file = join(directory, given.name);
  const discard = () => rm(directory, { recursive: true, force: true });
  try {
    await writeFile(file, given.text, { mode: 0o600 });
    await runEditor(io, [...argv, file]);
    return { text: await readFile(file, "utf8"), file, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

function editorOf({ env }: Io): readonly string[] {
  const line = [env["VISUAL"], env["EDITOR"]].find(
    (value) => value !== undefined && /\S/.test(value),
  );
  if (line === undefined) throw editorMissing({});
  const argv = splitWords(line);
  if (argv !== undefined) return argv;
  throw editorFailed({ editor: line, problem: "a quote in it has no end" });
}

async function runEditor(io: Io, argv: readonly string[]): Promise<void> {
  const editor = argv.slice(0, -1).join(" ");
  let exitCode: number | null;
  try {
    exitCode = await io.runProgram(argv);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw editorFailed({ editor, problem }, { cause: error });
  }
  if (exitCode === 0) return;
  const problem = exitCode === null ? "a signal ended it" : `it ended with exit code ${exitCode}`;
  throw editorFailed({ editor, problem });
}

// A word: bare characters, escaped ones and quoted stretches in a row, as a shell reads them, without any
// expansion: nothing of a value can become another command.
const PART = /\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\s'"\\]+)/suy;

const BLANK = /\s*/uy;

/** The words of a command line such as `code --wait`; undefined when a quote or an escape has no end. */
export function splitWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let at = skipBlank(line, 0);
  while (at < line.length) {
    const word = readWord(line, at);
    if (word === undefined) return undefined;
    words.push(word.text);
    at = skipBlank(line, word.end);
  }
  return words;
}

function readWord(
  line: string,
  start: number,
): { readonly text: string; readonly end: number } | undefined {
  let text = "";
  let end = start;
  while (end < line.length && !/\s/u.test(line.charAt(end))) {
    PART.lastIndex = end;
    const part = PART.exec(line);
    if (part === null) return undefined;
    const [, escaped, single, double, bare] = part;
    text += escaped ?? single ?? double?.replace(/\\(["\\$`])/gu, "$1") ?? bare ?? "";
    end = PART.lastIndex;
  }
  return { text, end };
}

function skipBlank(line: string, start: number): number {
  BLANK.lastIndex = start;
  BLANK.test(line);
  return BLANK.lastIndex;
}
