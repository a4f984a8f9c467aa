import { type AgentSpec, isNamedBy } from "../contracts/agent.ts";
import type { AgentBackend } from "../contracts/backend.ts";
import type { ReceivedMessage } from "../contracts/message.ts";
import type { TurnTerms } from "../contracts/turn-terms.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import { present } from "../foundation/present.ts";
import { parsePermissionRule } from "./permission-rules.ts";

/** How an agent works in a turn that takes these messages: by what a person has said of it and of them. */
export function termsOf(
  agent: Pick<AgentState, "model">,
  messages: readonly Pick<ReceivedMessage, "terms">[],
): TurnTerms {
  const model = messages.findLast(({ terms }) => terms?.model !== undefined)?.terms?.model;
  const lists = messages.flatMap(({ terms }) => (terms?.tools === undefined ? [] : [terms.tools]));
  const [first, ...others] = lists;
  // Each list may only take away: what not all of them name is in none.
  const tools = first?.filter((rule) => others.every((list) => list.includes(rule)));
  return present({ model: model ?? agent.model, tools });
}

/** The agent as its backend carries it out under terms, with the permission mode that holds now. */
export function specUnder(
  { spec, mode }: Pick<AgentState, "spec" | "mode">,
  { model, tools }: TurnTerms,
  backend: Pick<AgentBackend, "runsInProcess">,
): AgentSpec {
  // What this process carries out itself asks for each deed, and need not be told.
  const permissionMode = backend.runsInProcess === true ? undefined : mode;
  const kept = tools === undefined ? undefined : narrowed(spec.tools, tools);
  return { ...spec, ...present({ model, permissionMode, tools: kept }) };
}

/** Those tools that an agent may use and that rules name. */
export function narrowed(
  own: readonly string[] | undefined,
  rules: readonly string[],
): readonly string[] {
  const names = [...new Set(rules.flatMap((rule) => parsePermissionRule(rule)?.tool ?? []))];
  if (own === undefined) return names;
  const both = [
    ...names.filter((name) => isNamedBy(own, name)),
    ...own.filter((name) => isNamedBy(names, name)),
  ];
  return [...new Set(both)];
}
