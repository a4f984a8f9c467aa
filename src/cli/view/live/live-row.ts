import type { InboxItem } from "../../../fold/state/inbox-state.ts";
import type { Glyphs } from "../../terminal/glyphs.ts";

/** What kind of attention a row deserves; the order in which rows stand. */
export const ROW_GROUPS = [
  "needs",
  "failed",
  "retrying",
  "working",
  "waiting",
  "idle",
  "done",
] as const;

export type RowGroup = (typeof ROW_GROUPS)[number];

/** One thing of a run that has a line of its own: something that is asked, a step, an agent without a step. */
export interface LiveRow {
  /** `item:apr_1`, `step:path`, `agent:coder`: the same as long as the thing exists. */
  readonly id: string;
  readonly group: RowGroup;
  readonly sign: keyof Glyphs | "spinner" | "waiting";
  readonly name: string;
  /** Who does it, or what kind of decision is asked for. */
  readonly who: string;
  readonly time: string;
  /** What is to be told about it, in one line. */
  readonly text: string;
  /** Whom a message goes to. */
  readonly agent: string | undefined;
  /** The step it is or belongs to. */
  readonly path: string | undefined;
  /** What a person is asked for. */
  readonly item: InboxItem | undefined;
  /** Whether the time goes on by itself. */
  readonly isTicking: boolean;
}

/** How the rows stand: by the attention they deserve, or by what depends on what. */
export type Layout = "list" | "tree";

/** A row at its place, with what connects it to the rows above. */
export interface PlacedRow extends LiveRow {
  /** Drawn in front of the row; empty in a list. */
  readonly lead: string;
}
