import { entryOf, type SourceNode } from "../source/source-node.ts";

/** Which of the two a file switches on. */
export interface SwitchedParts {
  readonly channel: boolean;
  readonly document: boolean;
}

const NOTHING: SwitchedParts = { channel: false, document: false };

/**
 * What `context` switches on: nothing when it is missing or false, both when it is empty or has neither, else
 * those that it names (KCK-1, KCK-7).
 */
export function sharedParts(context: SourceNode | undefined): SwitchedParts {
  if (context === undefined) return NOTHING;
  if (context.kind === "scalar")
    return context.value === null ? { channel: true, document: true } : NOTHING;
  const channel = entryOf(context, "channel") !== undefined;
  const document = entryOf(context, "document") !== undefined;
  return channel || document ? { channel, document } : { channel: true, document: true };
}
