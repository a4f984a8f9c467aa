import type { JournalEvent } from "../../../contracts/events/event.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { createPlainView } from "../plain-view.ts";
import type { LiveStyle } from "./live-style.ts";
import { paintSign } from "./paint-sign.ts";

/** What has happened, as lines that stay above the picture. */
export interface Scrollback {
  /** Tells one event in a terminal of `columns`. `state` is the run after it. */
  show(event: JournalEvent, state: RunState, columns: number): void;
}

// The summary that takes the place of the picture says these, and more.
const TOLD_BY_SUMMARY: ReadonlySet<string> = new Set(["run-ended", "run-suspended"]);

/** The lines of the plain view, in colour. */
export function createScrollback(style: LiveStyle, write: (line: string) => void): Scrollback {
  const { glyphs, paint } = style;
  const compose = ({ time, who, what }: { time: string; who: string; what: string }) =>
    `${paint(time, "aside")} ${paint(who, "message")} ${paintSign(what, style)}`;
  return {
    show: (event, state, width) => {
      if (TOLD_BY_SUMMARY.has(event.type)) return;
      createPlainView({ write, width, glyphs, compose }).show(event, state);
    },
  };
}
