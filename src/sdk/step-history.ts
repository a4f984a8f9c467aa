import type { StepsDefinition } from "../contracts/definition.ts";
import type { JournalEvent } from "../contracts/events/event.ts";
import type { FlowStep } from "../contracts/flow-step.ts";
import type { StepRecord } from "../contracts/step-context.ts";
import { toIsoTime } from "../foundation/iso-time.ts";
import { recordedData } from "../programs/steps/parts/step-data.ts";

/** One execution of a step, with its full place. */
export interface PlacedRecord extends StepRecord {
  /** Such as `checks/unit`, `all-files[3]/check`. */
  readonly path: string;
}

/** Every execution of a step that a journal tells of, in the order in which they were over. */
export function stepHistory(
  events: Iterable<JournalEvent>,
  definition: StepsDefinition,
): readonly PlacedRecord[] {
  const outputs = outputNames(definition.steps);
  const starts = new Map<string, number>();
  const records: PlacedRecord[] = [];
  for (const event of events) {
    if (event.type === "step-started") {
      const key = `${event.path}#${event.execution}`;
      if (!starts.has(key)) starts.set(key, event.at);
    }
    if (event.type !== "step-completed" && event.type !== "step-failed") continue;
    const { step: stepId, path, at, durationMs } = event;
    const startedAt = starts.get(`${path}#${event.execution}`) ?? at - durationMs;
    const output = outputs.get(stepId);
    records.push({
      stepId,
      path,
      ...outcomeOf(event),
      startTime: toIsoTime(startedAt),
      endTime: toIsoTime(at),
      durationMs,
      ...(output === undefined ? {} : { output }),
    });
  }
  return records;
}

type EndedStep = Extract<JournalEvent, { readonly type: "step-completed" | "step-failed" }>;

function outcomeOf(event: EndedStep): Pick<StepRecord, "success" | "data" | "error"> {
  if (event.type === "step-failed")
    return { success: false, data: event.data ?? null, error: event.error };
  return { success: true, data: recordedData(event) };
}

/** Second names of data, by step. */
function outputNames(steps: readonly FlowStep[]): ReadonlyMap<string, string> {
  return new Map(
    steps.flatMap((step) => [
      ...(step.output === undefined ? [] : [[step.id, step.output] as const]),
      ...outputNames(step.steps),
    ]),
  );
}
