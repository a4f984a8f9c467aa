import type { ClaudeProgram } from "../../../../src/agents/backends/claude/claude-program.ts";
import { createClaudeMeter } from "../../../../src/agents/backends/claude/claude-usage.ts";

/** A program without a process: tests say its lines and see what it is sent. */
export interface PlayedProgram extends ClaudeProgram {
  /** What it was sent, parsed. */
  readonly sent: readonly { readonly [name: string]: unknown }[];
  say(line: object): void;
  /** It ends, as a turn would see it. */
  leave(error: Error): void;
}

/** A program that listens. */
export function createPlayedProgram(): PlayedProgram {
  const sent: { [name: string]: unknown }[] = [];
  const { promise: gone, resolve: leave } = Promise.withResolvers<Error>();
  let listener: ((line: string) => void) | undefined;
  return {
    sent,
    gone,
    leave,
    hasExited: false,
    meter: createClaudeMeter({ isResumed: false }),
    send: async (line) => {
      sent.push(JSON.parse(line));
    },
    end: async () => ({ exitCode: 0, signal: null }),
    listen: (onLine) => {
      listener = onLine;
    },
    say: (line) => listener?.(JSON.stringify(line)),
  };
}
