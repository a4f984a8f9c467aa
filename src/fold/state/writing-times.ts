import type { RunState } from "./run-state.ts";

/** Of how many writes of an author the times are known. */
export const KNOWN_WRITES = 120;

/** Remembers that somebody wrote: a message or a change of a document. `at` is in milliseconds since the epoch. */
export function rememberWrite({ messages }: RunState, author: string, at: number): void {
  const times = messages.writtenAt.get(author);
  if (times === undefined) messages.writtenAt.set(author, [at]);
  else if (times.push(at) > KNOWN_WRITES) times.shift();
}
