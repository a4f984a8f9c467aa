import type { LeaseHolder } from "../../../contracts/ports/store.ts";
import { type ControlLine, createControlLine } from "../../../control/client.ts";
import type { Clock } from "../../../foundation/clock.ts";

/** Lines to the owners of runs, kept between commands. */
export interface OwnerLines {
  /** The open line to whoever carried the run out when it was last looked for. */
  kept(run: string): ControlLine | undefined;
  /** The line to this owner of the run; the next commands find it kept. */
  to(run: string, holder: LeaseHolder): ControlLine;
  /** Hangs up. */
  close(): void;
}

interface Kept {
  /** Of the lease: whoever takes the run again listens anew. */
  readonly epoch: number;
  readonly line: ControlLine;
}

/**
 * Opens no line before it is asked for one; whoever made it closes it. A line to an owner that is one no longer
 * hangs up by itself, after what was said over it is answered.
 */
export function createOwnerLines(clock: Clock): OwnerLines {
  const lines = new Map<string, Kept>();
  return {
    kept: (run) => {
      const line = lines.get(run)?.line;
      return line?.isOpen === true ? line : undefined;
    },
    to: (run, holder) => {
      const before = lines.get(run);
      if (before?.epoch === holder.epoch) return before.line;
      const line = createControlLine(holder.socketPath, clock);
      lines.set(run, { epoch: holder.epoch, line });
      return line;
    },
    close: () => {
      for (const { line } of lines.values()) line.close();
      lines.clear();
    },
  };
}
