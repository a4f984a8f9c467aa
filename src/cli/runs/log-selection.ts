import { stripVTControlCharacters } from "node:util";
import type { JournalEvent } from "../../contracts/events/event.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { usageInvalid } from "../command/errors.ts";
import { readCount } from "../command/read-count.ts";

/** What of a log is wanted, as it was typed. */
export interface LogSelectionOptions {
  readonly tail?: string | undefined;
  readonly since?: string | undefined;
  readonly grep?: string | undefined;
  readonly failed?: boolean | undefined;
}

/** Chooses events before they are told, and lines before they are written. */
export interface LogSelection {
  /** Whether anything is left out at all. */
  readonly isPartial: boolean;
  /** Whether an event is told. */
  wants(event: JournalEvent): boolean;
  /** Takes a line of the past or, after `endPast`, of the present. */
  write(line: string): void;
  /** What has been held back for `--tail` is written; all that follows is written at once. */
  endPast(): void;
}

/** The selection that options ask for; `write` gets what is left. Raises USAGE_INVALID, DURATION_INVALID. */
export function createLogSelection(
  { tail, since, grep, failed = false }: LogSelectionOptions,
  { nowMs, write }: { readonly nowMs: number; readonly write: (line: string) => void },
): LogSelection {
  const most = tail === undefined ? undefined : readCount(tail, "--tail");
  const sinceMs = since === undefined ? undefined : nowMs - parseDuration(since, "--since");
  const pattern = grep === undefined ? undefined : readPattern(grep);
  const held: string[] = [];
  let isPast = true;
  return {
    isPartial: most !== undefined || sinceMs !== undefined || pattern !== undefined || failed,
    wants: (event) =>
      (sinceMs === undefined || event.at >= sinceMs) && (!failed || isFailure(event)),
    write: (line) => {
      if (pattern?.test(stripVTControlCharacters(line)) === false) return;
      if (most === undefined || !isPast) {
        write(line);
        return;
      }
      held.push(line);
      // Not at every line: moving the rest costs as much as there is.
      if (held.length > 2 * most + 1000) held.splice(0, held.length - most);
    },
    endPast: () => {
      isPast = false;
      for (const line of held.slice(Math.max(0, held.length - (most ?? 0)))) write(line);
      held.length = 0;
    },
  };
}

function readPattern(text: string): RegExp {
  try {
    return new RegExp(text, "u");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw usageInvalid({
      problem: `--grep takes a regular expression: ${why}`,
      hint: "put a backslash before ( ) [ ] { } . * + ? | that are meant as they are",
    });
  }
}

/** Whether an event tells of something that went wrong. */
function isFailure(event: JournalEvent): boolean {
  switch (event.type) {
    case "step-failed":
    case "step-retrying":
    case "step-blocked":
    case "verification-failed":
    case "turn-failed":
    case "guard-tripped":
    case "message-dead":
    case "cancellation-requested":
      return true;
    case "agent-exited":
      return event.reason === "failed" || event.reason === "timeout";
    case "agent-status":
      return event.status === "stuck";
    case "run-ended":
      return event.outcome !== "completed";
    case "log":
      return event.level === "error" || event.level === "warning";
    default:
      return false;
  }
}
