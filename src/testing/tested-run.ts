import type { Machine } from "../app/machine/machine.ts";
import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import type { EventOf, JournalEvent } from "../contracts/events/event.ts";
import type { Outcome } from "../contracts/run.ts";
import type { WorkflowResult } from "../contracts/workflow-result.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { TroupeError } from "../foundation/errors.ts";

/** How a tested run and its process parted. */
export type TestedParting = Awaited<WorkflowRun["parted"]>;

/** A workflow's run in a test while it goes on. */
export interface TestedRun {
  readonly run: WorkflowRun;
  readonly machine: Machine;
  /** The first durable event of this type that fits, past or to come. Rejects when the run parts without it. */
  event<Type extends JournalEvent["type"]>(
    type: Type,
    fits?: (event: EventOf<Type>) => boolean,
  ): Promise<EventOf<Type>>;
  /** Resolves when run and process have parted. */
  over(): Promise<FinishedRun>;
}

/** A workflow's run in a test, ended or let go. */
export interface FinishedRun {
  readonly id: string;
  readonly machine: Machine;
  readonly parting: TestedParting;
  /** `suspended` when the run was let go. */
  readonly outcome: Outcome | "suspended";
  /** Absent when the run was let go, or has no pattern. */
  readonly result: WorkflowResult | undefined;
  readonly state: RunState;
  /** Durable events of this process. */
  readonly events: readonly JournalEvent[];
  /** All events of one type. */
  all<Type extends JournalEvent["type"]>(type: Type): readonly EventOf<Type>[];
}

/** Looks at a run for a test. */
export function watchRun(machine: Machine, run: WorkflowRun): TestedRun {
  return {
    run,
    machine,
    event: async (type, fits = () => true) => {
      for await (const event of run.events) if (isOf(event, type) && fits(event)) return event;
      throw new Error(`${run.id} parted without the ${type} that the test waits for`);
    },
    over: () => finish(machine, run),
  };
}

async function finish(machine: Machine, run: WorkflowRun): Promise<FinishedRun> {
  const parting = await run.parted;
  const events: JournalEvent[] = [];
  for await (const event of run.events) events.push(event);
  return {
    id: run.id,
    machine,
    parting,
    outcome: parting.status === "ended" ? parting.event.outcome : "suspended",
    result: parting.status === "ended" ? await patternResult(run) : undefined,
    state: run.state,
    events,
    all: (type) => events.filter((event) => isOf(event, type)),
  };
}

/** Workflows without a pattern have no such result. */
function patternResult(run: WorkflowRun): Promise<WorkflowResult | undefined> {
  return run.result.catch((error: unknown) => {
    if (error instanceof TroupeError && error.code === "RUN_RESULT_DIFFERS") return undefined;
    throw error;
  });
}

function isOf<Type extends JournalEvent["type"]>(
  event: JournalEvent,
  type: Type,
): event is EventOf<Type> {
  return event.type === type;
}
