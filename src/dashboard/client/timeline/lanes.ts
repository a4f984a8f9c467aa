import type { GraphNodeStatus } from "../../../contracts/graph.ts";
import { formatDuration } from "../../../foundation/duration.ts";
import { lookOfSpan } from "../model/look.ts";
import type { RunHistory } from "../model/run-history.ts";
import type { Period, TurnSpan } from "../model/spans.ts";
import type { TimeScale } from "../model/time-scale.ts";

/** Something that took time, in px from the left. */
export interface Bar {
  readonly x: number;
  readonly width: number;
  readonly look: GraphNodeStatus;
  readonly label: string;
  /** The position at which it begins. */
  readonly position: number;
  readonly step: string | undefined;
}

/** What one agent did, or what people were waited for; bars that overlap are in rows of their own. */
export interface Lane {
  readonly name: string;
  readonly kind: "agent" | "people";
  readonly rows: readonly (readonly Bar[])[];
}

const LEAST_WIDTH = 3;
const MAX_ROWS = 6;

/** The lanes of a run at a width in px, agents in the order of their first turn. */
export function toLanes(
  { turns, waits }: RunHistory,
  {
    scale,
    width,
    endedAt,
  }: { readonly scale: TimeScale; readonly width: number; readonly endedAt: number },
): readonly Lane[] {
  const barOf = (span: Period): Pick<Bar, "x" | "width" | "position"> => {
    const x = scale.place(span.startedAt) * width;
    const end = scale.place(span.endedAt ?? endedAt) * width;
    return { x, width: Math.max(LEAST_WIDTH, end - x), position: span.position };
  };
  const byAgent = Map.groupBy(turns, ({ agent }) => agent);
  const agents = [...byAgent].map(([name, list]): Lane => {
    const bars = list.map((turn) => ({
      ...barOf(turn),
      look: lookOfSpan(turn.end),
      label: labelOf(turn),
      step: turn.step,
    }));
    return { name, kind: "agent", rows: stackBars(bars) };
  });
  if (waits.length === 0) return agents;
  const people = waits.map((wait): Bar => {
    return { ...barOf(wait), look: "waiting", label: wait.label, step: undefined };
  });
  return [...agents, { name: "you", kind: "people", rows: stackBars(people) }];
}

/** Puts each bar into the first row with room; bars that would lie on each other within a pixel become one. */
function stackBars(bars: readonly Bar[]): readonly (readonly Bar[])[] {
  const rows: Bar[][] = [];
  for (const bar of bars) {
    const free = rows.find((row) => endOf(row) <= bar.x + 0.5);
    const row = free ?? (rows.length < MAX_ROWS ? [] : rows.at(-1)) ?? [];
    if (!rows.includes(row)) rows.push(row);
    const last = row.at(-1);
    if (last !== undefined && isSame(last, bar)) {
      row[row.length - 1] = { ...last, width: bar.x + bar.width - last.x };
    } else row.push(bar);
  }
  return rows;
}

function isSame(left: Bar, right: Bar): boolean {
  const isTiny = left.width <= LEAST_WIDTH && right.width <= LEAST_WIDTH;
  return isTiny && left.look === right.look && right.x - left.x < 1;
}

function endOf(row: readonly Bar[]): number {
  const last = row.at(-1);
  return last === undefined ? -Infinity : last.x + last.width;
}

function labelOf({ agent, turn, step, startedAt, endedAt, end, detail }: TurnSpan): string {
  const lasted = endedAt === undefined ? "not over" : formatDuration(endedAt - startedAt);
  const why = detail === undefined ? "" : `: ${detail}`;
  return `${agent}, turn ${turn}${step === undefined ? "" : `, ${step}`}, ${lasted}, ${end}${why}`;
}
