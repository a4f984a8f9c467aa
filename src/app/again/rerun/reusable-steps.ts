import type { EventOf, JournalEvent } from "../../../contracts/events/event.ts";
import type { ReuseTable, RevisedStep } from "../../../contracts/events/reuse.ts";
import { isCompensation } from "../../../contracts/step.ts";
import { present } from "../../../foundation/present.ts";

type Entry = ReuseTable["steps"][number];

/**
 * All executions of steps that succeeded and say what they were given. Steps around others are left out, because
 * what is inside of them is taken over one by one; so are steps that were undone, and what undid them. `keepsFailed`: steps that are taken over although they failed.
 */
export function reusableSteps(
  run: string,
  events: readonly JournalEvent[],
  keepsFailed: (path: string) => boolean = () => false,
): readonly Entry[] {
  const given = new Map<string, string>();
  const done = new Map<string, Entry>();
  const around = new Set<string>();
  for (const event of events) {
    if (event.type === "step-started" || event.type === "step-completed")
      for (const path of placesAround(event.path)) around.add(path);
    if (event.type === "step-started" && event.inputHash !== undefined)
      given.set(keyOf(event), event.inputHash);
    // Whoever has rejected something is asked again, and what was undone once is no reason to leave it.
    if (
      event.type === "step-completed" &&
      event.outcome !== "rejected" &&
      !isCompensation(event.step)
    ) {
      const inputHash = event.inputHash ?? given.get(keyOf(event));
      if (inputHash !== undefined) done.set(keyOf(event), toEntry(run, event, inputHash));
    }
    if (event.type === "step-failed" && keepsFailed(event.path)) {
      const inputHash = given.get(keyOf(event));
      if (inputHash !== undefined) done.set(keyOf(event), failedEntry(run, event, inputHash));
    }
    if (event.type === "run-forked") for (const step of event.set?.steps ?? []) revise(done, step);
  }
  return [...done.values()].filter(({ path }) => !around.has(path));
}
function keyOf({ path, execution }: Pick<Entry, "path" | "execution">): string {
  return `${path}\n${execution}`;
}

/** `a[1]/b/c` lies in `a` and in `a[1]/b`. */
function placesAround(path: string): readonly string[] {
  const segments = path.split("/");
  return segments.slice(0, -1).map((_, index) =>
    segments
      .slice(0, index + 1)
      .join("/")
      .replace(/\[\d+\]$/, ""),
  );
}

function toEntry(run: string, event: EventOf<"step-completed">, inputHash: string): Entry {
  const { path, execution, attempt, output, reason, durationMs, seq } = event;
  const { reusedFrom = { run, seq }, outputTruncated, text, agent, outcome, data, command } = event;
  return {
    ...{ path, execution, reusedFrom, inputHash, attempt, output, reason, durationMs },
    ...present({ outputTruncated, text, agent, outcome, data, command }),
  };
}

/** A failure as what a step came to: what its data says of it. */
function failedEntry(run: string, event: EventOf<"step-failed">, inputHash: string): Entry {
  const { path, execution, attempt, durationMs, seq, agent, data } = event;
  return {
    ...{ path, execution, reusedFrom: { run, seq }, inputHash, attempt, durationMs },
    ...{ output: "", reason: "failed" as const, outcome: "failed" },
    ...present({ agent, data }),
  };
}

function revise(done: Map<string, Entry>, step: RevisedStep): void {
  const known = done.get(keyOf(step));
  if (known === undefined) return;
  const { text: _text, data: _data, outputTruncated: _truncated, ...entry } = known;
  const { output, data } = step;
  done.set(keyOf(step), { ...entry, output, ...(data === undefined ? {} : { data }) });
}
