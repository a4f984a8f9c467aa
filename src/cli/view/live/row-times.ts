import { formatDuration } from "../../../foundation/duration.ts";

/** How long something has been going on, in whole seconds: `0s`, `12s`, `1m44s`. */
export function formatAge(ageMs: number): string {
  const seconds = Math.max(0, Math.floor(ageMs / 1000));
  return seconds === 0 ? "0s" : formatDuration(seconds * 1000);
}

/** A running time as clocks show it: `01:44`, `1:02:03`. */
export function formatStopwatch(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  const hours = Math.floor(seconds / 3600);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  const text = parts.map((part) => String(part).padStart(2, "0")).join(":");
  return hours === 0 ? text : `${hours}:${text}`;
}
