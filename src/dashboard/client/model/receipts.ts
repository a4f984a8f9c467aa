import type { Message } from "../../../contracts/message.ts";
import { agentKey, findMailbox } from "../../../fold/state/agent-lookup.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { RESERVED_AGENT_IDS } from "../../../foundation/ids.ts";

/** Where a message stands with one of those it is for; of people nobody knows. */
export interface Receipt {
  readonly name: string;
  readonly status: "waiting" | "reading" | "acked" | "dead" | "unknown";
}

/** Where a message stands with everybody it is addressed to or mentions. */
export function receiptsOf({ id, to, mentions }: Message, state: RunState): readonly Receipt[] {
  const names = [...new Set(to ?? mentions)];
  return names.map((name): Receipt => ({ name, status: statusOf(id, name, state) }));
}

function statusOf(id: string, name: string, state: RunState): Receipt["status"] {
  if (RESERVED_AGENT_IDS.has(agentKey(name))) return "unknown";
  const item = findMailbox(state, name)?.items.get(id);
  if (item !== undefined) return item.turn === undefined ? "waiting" : "reading";
  const isDead = state.deadLetters.some((letter) => letter.id === id && letter.agent === name);
  return isDead ? "dead" : "acked";
}
