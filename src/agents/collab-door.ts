import type { AgentSpec } from "../contracts/agent.ts";
import type { CollabPort } from "../contracts/collab.ts";
import type { ToolOffer } from "../contracts/tool.ts";

/** The turn whose agent deals with agents of its own. */
export interface CollabCaller {
  readonly agent: string;
  readonly turn: number;
  readonly key: string;
  /** Waits for others: without a place, while deadlines stand. Rejects when the turn is over or cut off. */
  wait<Result>(result: Promise<Result>): Promise<Result>;
}

/** Lets agents spawn others and deal with them (COL-1). */
export interface CollabDoor {
  /** Which of its tools an agent is offered; undefined where it may not spawn. */
  offerTo(spec: AgentSpec): ToolOffer["collab"];
  /** What an agent is told before a turn that may not know of its own agents; undefined when it has none that live. */
  notice(agent: string): string | undefined;
  /** What a turn may do. */
  open(caller: CollabCaller): CollabPort;
}

/** What a door offers an agent, as a part of an offer of tools. */
export function collabOffer(
  door: CollabDoor | undefined,
  spec: AgentSpec | undefined,
): Pick<ToolOffer, "collab"> {
  const collab = spec === undefined ? undefined : door?.offerTo(spec);
  return collab === undefined ? {} : { collab };
}
