import type { JournalEvent } from "../../../contracts/events/event.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import type { EventsByType } from "../../../fold/tables/fold-table.ts";
import type { Glyphs } from "../../terminal/glyphs.ts";

/** One line of plain progress, before its time. */
export interface ProgressLine {
  /** Whom it is about: an agent, a step, `run`. */
  readonly who: string;
  readonly what: string;
}

/** What a line is made with. */
export interface LineContext {
  /** The run after the event. */
  readonly state: RunState;
  readonly glyphs: Glyphs;
  /** The beginning of a text that somebody else wrote, safe for a terminal. */
  excerpt(text: string): string;
  /** All of a text that somebody is to decide on, unless it is very long. */
  whole(text: string): string;
}

/** How events of some types are told. Types without an entry are not told. */
export type LineTable = {
  readonly [Type in keyof EventsByType]?: (
    event: EventsByType[Type],
    context: LineContext,
  ) => readonly ProgressLine[];
};

/** The lines that the first table with an entry for the event's type makes of it. */
export function linesOf(
  tables: readonly LineTable[],
  event: JournalEvent,
  context: LineContext,
): readonly ProgressLine[] {
  const table = tables.find((each) => Object.hasOwn(each, event.type));
  return table === undefined ? [] : tell(table, event, context);
}

function tell<Type extends keyof EventsByType>(
  table: {
    readonly [Each in Type]?: (
      event: EventsByType[Each],
      context: LineContext,
    ) => readonly ProgressLine[];
  },
  event: EventsByType[Type] & { readonly type: Type },
  context: LineContext,
): readonly ProgressLine[] {
  return table[event.type]?.(event, context) ?? [];
}
