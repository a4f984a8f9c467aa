import type { Context } from "../../contracts/ports/context.ts";
import { askEach, askFunction } from "./ask-function.ts";

// What functions do in a gossip in place of its peers: read states out of what was said, merge them, say when it is over.
// Each is one operation for all peers of a round.

/** A peer, and the states that it hears. */
export interface Hearing {
  readonly agent: string;
  /** Whose states they are. */
  readonly news: readonly string[];
}

/** The state of each peer, read out of all that it has said so far, the oldest first. Raises PATTERN_FUNCTION_BROKEN. */
export async function extractStates(
  context: Context,
  said: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlyMap<string, string>> {
  const read = await askEach(context, [...said], {
    name: "stateExtractor",
    ask: (extract, [from, texts]) => extract(texts.map((text) => ({ from, text }))),
    read: textIn,
    expected: "a text",
  });
  return byAgent([...said.keys()], read);
}

/** The new state of each peer that hears others. Raises PATTERN_FUNCTION_BROKEN. */
export async function mergeStates(
  context: Context,
  hearings: readonly Hearing[],
  states: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const merged = await askEach(context, hearings, {
    name: "stateMerger",
    ask: async (merge, { agent, news }) => {
      let local: unknown = states.get(agent) ?? "";
      for (const other of news)
        if (typeof local === "string") local = await merge(local, states.get(other) ?? "");
      return local;
    },
    read: textIn,
    expected: "a text",
  });
  const agents = hearings.map(({ agent }) => agent);
  return byAgent(agents, merged);
}

/** Whether the states are near enough to each other. Raises PATTERN_FUNCTION_BROKEN. */
export function haveConverged(
  context: Context,
  states: ReadonlyMap<string, string>,
): Promise<boolean> {
  return askFunction(context, {
    name: "convergenceTest",
    ask: (test) => test(states),
    read: (answer) => (typeof answer === "boolean" ? answer : undefined),
    expected: "true or false",
  });
}

function textIn(answer: unknown): string | undefined {
  return typeof answer === "string" ? answer.trim().toWellFormed() : undefined;
}

function byAgent(
  agents: readonly string[],
  states: readonly string[],
): ReadonlyMap<string, string> {
  return new Map(agents.map((agent, index) => [agent, states[index] ?? ""]));
}
