import type { FileChanged } from "../contracts/events/agent-events.ts";
import type { EventOf } from "../contracts/events/event.ts";
import { MAIN_CHANNEL } from "../contracts/message.ts";
import type { ShadowTrigger } from "../contracts/shadow.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { findTurn, shadowsOf } from "../fold/state/agent-lookup.ts";
import { count } from "../foundation/count.ts";
import { postMessage } from "./post-message.ts";

// What nobody says but shadows may wait for becomes a message of the system to them, in the group of events of
// what it tells, under a key that belongs to that alone.

const MAX_FILES = 50;
const MAX_PATH_CHARS = 300;
const MAX_REASON_CHARS = 500;

/** Tells the shadows of an agent that its life is over, if they want to know (SESSION_END). */
export function tellExit(runtime: RunRuntime, exited: EventOf<"agent-exited">): void {
  const { agent, reason, error, seq } = exited;
  const why = error === undefined ? reason : `${reason}, ${quote(error.message, MAX_REASON_CHARS)}`;
  tell(runtime, agent, {
    notice: "SESSION_END",
    key: `${runtime.run}/${agent}/exit-${seq}`,
    text: `The session of ${agent} is over: ${why}. It gets nothing any more.`,
  });
}

/** Tells the shadows of an agent what its turn has changed, if they want to know (CODE_WRITTEN). Before the turn ends. */
export function tellChanges(runtime: RunRuntime, agent: string, turn: number): void {
  const changes = findTurn(runtime.state, agent, turn)?.changes;
  if (changes === undefined || changes.size === 0) return;
  tell(runtime, agent, {
    notice: "CODE_WRITTEN",
    key: `${runtime.run}/${agent}/turn-${turn}/changes`,
    text: changesText(agent, turn, changes),
  });
}

interface Notice {
  readonly notice: ShadowTrigger;
  readonly key: string;
  readonly text: string;
}

function tell(runtime: RunRuntime, agent: string, { notice, key, text }: Notice): void {
  const to = shadowsOf(runtime.state, agent)
    .filter(({ spec }) => spec.shadow?.speakOn.includes(notice))
    .map(({ id }) => id);
  if (to.length === 0) return;
  // What stands in it comes from outside and must not mention anybody.
  const quiet = { mentionsIn: "", mainChannel: MAIN_CHANNEL };
  postMessage(runtime, { from: "system", draft: { to, text }, key, notice, ...quiet });
}

function changesText(
  agent: string,
  turn: number,
  changes: ReadonlyMap<string, FileChanged["kind"]>,
): string {
  const shown = [...changes].slice(0, MAX_FILES);
  const more = changes.size - shown.length;
  return [
    `${agent} changed ${count(changes.size, "file")} in its turn ${turn}:`,
    ...shown.map(([path, kind]) => `- ${kind} ${quote(path, MAX_PATH_CHARS)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ].join("\n");
}

/** A text from outside as one line that can be nothing but a quotation. */
function quote(text: string, maxChars: number): string {
  return JSON.stringify(
    text.length > maxChars ? `${text.slice(0, maxChars).toWellFormed()}…` : text,
  );
}
