import { agentKey, findMailbox, shownStatus } from "../../../fold/state/agent-lookup.ts";
import type { AgentState } from "../../../fold/state/agent-state.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { toPrintable } from "../../../foundation/printable.ts";
import { excerpt } from "../parts/excerpt.ts";
import { tellTokens } from "./amounts.ts";
import type { LiveModel } from "./live-model.ts";
import type { LiveRow } from "./live-row.ts";
import { formatAge } from "./row-times.ts";
import { type RunningTurn, tellActivity } from "./running-turns.ts";

const MAX_TEXT_CHARS = 400;

/** Rows for agents that no step speaks for: those that work on messages, are stuck, gave up or have nothing to do. */
export function agentRows(
  { state, plan, nowMs }: LiveModel,
  turns: readonly RunningTurn[],
  ellipsis: string,
): readonly LiveRow[] {
  const free = new Map(
    turns.filter(({ turn }) => turn.step === undefined).map((each) => [each.agent.id, each]),
  );
  const inSteps = agentsOfSteps({ state, plan });
  return [...state.agents.values()].flatMap((agent) => {
    const running = free.get(agent.id);
    const trouble = troubleOf(agent, ellipsis);
    if (trouble !== undefined) return [{ ...place(agent), ...trouble }];
    const held = running === undefined ? waitOf(agent, ellipsis) : undefined;
    if (held !== undefined) return [{ ...place(agent), ...held }];
    if (running !== undefined) return [{ ...place(agent), ...working(running, nowMs, ellipsis) }];
    return inSteps.has(agentKey(agent.id)) || agent.turns.size > 0
      ? []
      : [{ ...place(agent), ...idle(agent, state, ellipsis) }];
  });
}

/** Agents that steps speak for, those to come included. */
function agentsOfSteps({ state, plan }: Pick<LiveModel, "state" | "plan">): ReadonlySet<string> {
  const steps = [...plan, ...state.steps.byPath.values()];
  return new Set(steps.flatMap(({ agent }) => (agent === undefined ? [] : [agentKey(agent)])));
}

/** What is known of an agent that has nothing to do: how it is, what it said last, what it has not read, what it used. */
function idle(agent: AgentState, state: RunState, ellipsis: string): AgentProgress {
  const { lastText = "", statusText = "", exit } = agent;
  const said = statusText === "" ? lastText : statusText;
  const unread = findMailbox(state, agent.id)?.items.size ?? 0;
  const parts = [
    exit === undefined ? shownStatus(agent) : `left (${exit.reason})`,
    ...(unread === 0 ? [] : [`${unread} unread`]),
    tellTokens(agent.usage),
    excerpt(said, { maxChars: MAX_TEXT_CHARS, ellipsis }),
  ].filter((part) => part !== "");
  const isOver = exit !== undefined;
  return {
    group: isOver ? "done" : "idle",
    sign: isOver ? "done" : "skipped",
    time: "",
    text: parts.join(", "),
    isTicking: false,
  };
}

type AgentProgress = Pick<LiveRow, "group" | "sign" | "time" | "text" | "isTicking">;

function place({ id, backend }: AgentState) {
  const row = { id: `agent:${id}`, name: toPrintable(id), who: toPrintable(backend) };
  return { ...row, agent: id, path: undefined, item: undefined };
}

function troubleOf(agent: AgentState, ellipsis: string): AgentProgress | undefined {
  const shorten = (text: string) => excerpt(text, { maxChars: MAX_TEXT_CHARS, ellipsis });
  const failed = { group: "failed", time: "", isTicking: false } as const;
  if (agent.status === "stuck")
    return { ...failed, sign: "attention", text: `stuck: ${shorten(agent.statusReason ?? "")}` };
  const { exit } = agent;
  if (exit?.reason !== "failed" && exit?.reason !== "timeout") return undefined;
  const why = exit.error === undefined ? "" : `: ${shorten(exit.error.message)}`;
  return { ...failed, sign: "failed", text: `gave up (${exit.reason})${why}` };
}

/** What an agent waits for whose turn was cut off and starts again, if no step speaks for it. */
function waitOf(agent: AgentState, ellipsis: string): AgentProgress | undefined {
  const isCutOff = [...agent.interruptedTurns.values()].some((turn) => turn.step === undefined);
  if (!isCutOff || agent.turns.size > 0 || agent.statusReason === undefined) return undefined;
  const text = excerpt(agent.statusReason, { maxChars: MAX_TEXT_CHARS, ellipsis });
  return { group: "retrying", sign: "retry", time: "", text, isTicking: true };
}

function working(running: RunningTurn, nowMs: number, ellipsis: string): AgentProgress {
  const { turn, isAsking } = running;
  const told = tellActivity(running, ellipsis).join("");
  return {
    group: "working",
    sign: isAsking ? "paused" : "spinner",
    time: formatAge(nowMs - turn.startedAt),
    text: isAsking ? "waits for you" : told || `turn ${turn.turn}`,
    isTicking: true,
  };
}
