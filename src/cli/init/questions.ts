import { usageInvalid } from "../command/errors.ts";
import type { Io } from "../terminal/io.ts";

/** Asks a person at the terminal, line by line. */
export interface Questions {
  /** The answer, or `fallback` for an empty line. Raises USAGE_INVALID when the input is over. */
  ask(question: string, fallback: string): Promise<string>;
  /** Says something between two questions. */
  tell(text: string): void;
  /** Ends the reading. */
  close(): void;
}

/** Opens the terminal for questions; whoever opens it closes it. */
export function openQuestions({ stdin, stdout }: Io): Questions {
  // What is typed ahead answers the next question.
  const lines: string[] = [];
  let isOver = false;
  let wake = () => {};
  const close = stdin.readLines(
    (line) => {
      lines.push(line);
      wake();
    },
    () => {
      isOver = true;
      wake();
    },
  );
  return {
    ask: async (question, fallback) => {
      stdout.write(`${question} [${fallback}] `);
      while (lines.length === 0 && !isOver)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const line = lines.shift();
      if (line !== undefined) return line.trim() || fallback;
      stdout.write("\n");
      throw usageInvalid({
        problem: "the input ended before all was answered; nothing was written",
        hint: "troupe init -y takes the defaults",
      });
    },
    tell: (text) => stdout.write(`${text}\n`),
    close,
  };
}
