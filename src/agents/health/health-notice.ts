import type { AgentState } from "../../fold/state/agent-state.ts";

/** What is told to whom a turn seems stuck, while it runs. */
export function nudgeText(observation: string): string {
  return [
    `[troupe] You seem stuck: ${observation}.`,
    "Say in a sentence where you are, then go on; if something does not work, try another way.",
  ].join(" ");
}

/**
 * What an agent is told before its next turn: that the last one was cut off because it seemed stuck, and, when
 * its session has no memory of it, what that one had done. Undefined when there is nothing to tell.
 */
export function healthNotice(
  { nudges, handOvers }: AgentState,
  session: string,
  hasMemory: boolean,
): string | undefined {
  const cut = nudges.get(session)?.findLast(({ rung }) => rung !== "nudge");
  const handOver = hasMemory ? undefined : handOvers.get(session);
  const parts = [
    ...(cut === undefined ? [] : [cutText(cut.observation)]),
    ...(handOver === undefined ? [] : [handOverText(handOver)]),
  ];
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

function cutText(observation: string): string {
  return [
    `[troupe] Your last turn was cut off because you seemed stuck: ${observation}.`,
    "Here is your task again. Look at what is done already, and do not try the same once more.",
  ].join(" ");
}

function handOverText(handOver: string): string {
  return [
    "[troupe] You take over from a session that was lost and of which you remember nothing. Look at what is done already before you do it again.",
    handOver,
  ].join("\n");
}
