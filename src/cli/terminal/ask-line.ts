import type { Io } from "./io.ts";

/** Asks for one line at the terminal; undefined when there is none any more. */
export function askLine({ stdin, stdout }: Io, question: string): Promise<string | undefined> {
  stdout.write(question);
  return new Promise((resolve) => {
    const settle = (line: string | undefined) => {
      stop();
      resolve(line);
    };
    const stop = stdin.readLines(settle, () => {
      stdout.write("\n");
      settle(undefined);
    });
  });
}
