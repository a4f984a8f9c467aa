import type { JSX } from "preact";
import { LOOK_WORDS, type Look } from "../model/look.ts";

// Drawn on 16 x 16; each state has an outline of its own, so that nothing depends on colour.
const PATHS: { readonly [look in Look]: string } = {
  pending: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11z",
  waiting: "M8 2L15 14H1ZM8 6.5V10M8 11.6V12.2",
  running: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11zM6.5 5.5L11 8L6.5 10.5Z",
  retrying: "M12.5 4.5A5.5 5.5 0 1 0 13.5 8M13 1.5V5H9.5",
  completed: "M2.5 8.5L6.2 12.5L13.5 4",
  failed: "M3.5 3.5L12.5 12.5M12.5 3.5L3.5 12.5",
  skipped: "M3 4L7 8L3 12M9 4L13 8L9 12",
  blocked: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11zM4.2 4.2L11.8 11.8",
  cancelled: "M3.5 3.5H12.5V12.5H3.5Z",
  suspended: "M5.5 3V13M10.5 3V13",
};

/** The sign of a state, for places where its word stands beside it or in `label`. */
export function LookIcon({ look, label }: { look: Look; label?: string }): JSX.Element {
  const naming = label === undefined ? { "aria-hidden": true } : { role: "img" as const };
  return (
    <svg class={`icon look-${look}`} viewBox="0 0 16 16" {...naming} aria-label={label}>
      <path d={PATHS[look]} />
    </svg>
  );
}

/** A state as sign and word. */
export function LookBadge({ look, word }: { look: Look; word?: string }): JSX.Element {
  return (
    <span class={`badge look-${look}`}>
      <LookIcon look={look} /> {word ?? LOOK_WORDS[look]}
    </span>
  );
}

/** The lines of a sign, for drawings that place it themselves. */
export function lookPath(look: Look): string {
  return PATHS[look];
}
