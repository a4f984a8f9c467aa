import type { Invocation } from "../command/command.ts";
import type { Progress } from "../view/progress.ts";

/** Says something to people before a run goes on; scripts have the events. */
export function tellAtOnce(line: string, progress: Progress, { io }: Pick<Invocation, "io">): void {
  if (progress === "plain" || progress === "tty") io.stdout.write(`${line}\n`);
}
