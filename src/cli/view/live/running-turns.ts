import type { AgentState, TurnState } from "../../../fold/state/agent-state.ts";
import { excerpt } from "../parts/excerpt.ts";
import type { LiveModel } from "./live-model.ts";
import type { TurnActivity } from "./turn-activity.ts";

/** A turn that runs now, with what is known of it beyond the journal. */
export interface RunningTurn {
  readonly agent: AgentState;
  readonly turn: TurnState;
  readonly activity: TurnActivity | undefined;
  /** Whether it stands still because a person is asked. */
  readonly isAsking: boolean;
}

const MAX_TEXT_CHARS = 400;

/** All turns that run now, in the order of agents. */
export function runningTurns({ state, activity }: LiveModel): readonly RunningTurn[] {
  return [...state.agents.values()].flatMap((agent) =>
    [...agent.turns.values()].map((turn) => ({
      agent,
      turn,
      activity: activity.of(agent.id, turn.turn),
      isAsking: turn.asks.size > 0,
    })),
  );
}

/** The turns that serve a step, by its path. */
export function turnsByPath(turns: readonly RunningTurn[]): ReadonlyMap<string, RunningTurn> {
  return new Map(
    turns.flatMap((running) => {
      const { step } = running.turn;
      return step === undefined ? [] : [[step.path, running]];
    }),
  );
}

/** What a turn does at the moment in one line: the tool that runs, else the last line that was said. */
export function tellActivity(turn: RunningTurn | undefined, ellipsis: string): readonly string[] {
  if (turn?.activity === undefined) return [];
  const shorten = (text: string) => excerpt(text, { maxChars: MAX_TEXT_CHARS, ellipsis });
  const { text, lastTool } = turn.activity;
  if (lastTool?.status === "running") return [shorten(`${lastTool.tool} ${lastTool.input}`)];
  const last =
    text
      .trimEnd()
      .split(/[\r\n]/u)
      .at(-1) ?? "";
  return last.trim() === "" ? [] : [shorten(last)];
}
