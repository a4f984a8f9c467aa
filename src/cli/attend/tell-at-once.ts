import type { Invocation } from "../command.ts";
import type { Progress } from "./progress.ts";

/** Says something to people before a run goes on; scripts have the events. */
export function tellAtOnce(line: string, progress: Progress, { io }: Pick<Invocation, "io">): void {
  if (progress === "plain" || progress === "tty") io.stdout.write(`${line}\n`);
}
