import type { Message } from "../../contracts/message.ts";
import type { ShadowBinding, ShadowTrigger } from "../../contracts/shadow.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { findAgent, shadowsOf } from "../../fold/state/agent-lookup.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { decideShadowing, requestsReview } from "./decide-shadowing.ts";

/** A message that has just been posted. */
export interface PostedMessage extends Pick<Message, "id" | "from" | "to" | "mentions"> {
  /** The whole text, also where only its beginning travels. */
  readonly text: string;
  /** Set on what Troupe itself tells its recipients about the agent that they watch. */
  readonly notice?: ShadowTrigger | undefined;
}

/**
 * Gives shadows their copies of a message and calls those that may speak because of it, in the group of events
 * of the message itself: whoever has the one after a crash has the other.
 */
export function informShadows(runtime: RunRuntime, posted: PostedMessage): void {
  const { state } = runtime;
  if (state.shadows.size === 0) return;
  const { id, from, to, mentions, text, notice } = posted;
  const recipients = to ?? mentions;
  const shadows = concernedShadows(state, [from, ...recipients]);
  const mayBeAsked = shadows.some(({ binding }) => binding.speakOn.includes("REVIEW_REQUEST"));
  const message = {
    from,
    isFromShadow: findAgent(state, from)?.spec.shadow !== undefined,
    recipients,
    requestsReview: mayBeAsked && requestsReview(text),
    notice,
  };
  for (const shadow of shadows) {
    const { copy, trigger } = decideShadowing(shadow, message);
    const agent = shadow.id;
    if (copy !== undefined) runtime.append({ type: "message-copied", agent, id, ...copy });
    if (trigger !== undefined) runtime.append({ type: "shadow-called", agent, id, trigger });
  }
}

interface BoundShadow {
  readonly id: string;
  readonly binding: ShadowBinding;
}

/** Live shadows among some agents, and those that watch one of them. */
function concernedShadows(state: RunState, names: readonly string[]): readonly BoundShadow[] {
  const found = new Map<string, ShadowBinding>();
  for (const name of names) {
    const agent = findAgent(state, name);
    const own = agent === undefined || agent.status === "exited" ? [] : [agent];
    for (const { id, spec } of [...own, ...shadowsOf(state, name)])
      if (spec.shadow !== undefined) found.set(id, spec.shadow);
  }
  return [...found].map(([id, binding]) => ({ id, binding }));
}
