import { z } from "zod";
import type { JournalEvent } from "../../../contracts/events/event.ts";
import type { RunStatus } from "../../../contracts/run.ts";
import type { Usage } from "../../../contracts/usage.ts";
import { foldAll } from "../../../fold/fold.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import type { StepStatus } from "../../../fold/state/step-state.ts";
import { runStatus } from "../../../fold/waiting.ts";

/** One execution of a step, as far as it is compared. */
export interface StepProfile {
  readonly step: string;
  readonly path: string;
  readonly execution: number;
  status: StepStatus;
  attempts: number;
  durationMs: number | null;
  /** Null when nothing is known about the cost. */
  costUsd: number | null;
  /** What it was asked at its first attempt; null when that was no agent. */
  prompt: string | null;
  output: string | null;
  /** Its message, if it failed. */
  error: string | null;
  isReused: boolean;
}

/** A run, as far as it is compared. */
export interface RunProfile {
  readonly state: RunState;
  readonly status: RunStatus;
  readonly durationMs: number;
  readonly costUsd: number | null;
  readonly messages: number;
  /** In the order in which they began. */
  readonly steps: readonly StepProfile[];
}

const turnInput = z.object({
  prompt: z.string(),
  task: z.string().exactOptional(),
  step: z.object({ path: z.string(), execution: z.number() }).exactOptional(),
});

/** Reads what a run did, step by step. */
export function profileRun(run: string, events: readonly JournalEvent[]): RunProfile {
  const state = foldAll(run, events);
  const reader = new ProfileReader();
  for (const event of events) reader.take(event);
  for (const { path, execution, output } of state.run.revisedSteps)
    reader.revise(path, execution, output);
  const { phase, runningTime } = state;
  return {
    state,
    status: runStatus(state),
    durationMs: phase.status === "ended" ? phase.durationMs : runningTime.totalMs,
    costUsd: state.usage.costUsd ?? null,
    messages: state.messages.count,
    steps: reader.steps,
  };
}

class ProfileReader {
  readonly #steps = new Map<string, StepProfile>();
  /** Keys of steps by agent and number of the turn. */
  readonly #turns = new Map<string, string>();

  get steps(): readonly StepProfile[] {
    return [...this.#steps.values()];
  }

  take(event: JournalEvent): void {
    switch (event.type) {
      case "step-started":
        this.#put(event, { status: "running", attempts: event.attempt });
        break;
      case "step-retrying":
        this.#put(event, { status: "retrying", attempts: event.attempt });
        break;
      case "step-completed": {
        const { attempt: attempts, durationMs, output, reusedFrom } = event;
        const isReused = reusedFrom !== undefined;
        this.#put(event, { status: "completed", attempts, durationMs, output, isReused });
        break;
      }
      case "step-failed": {
        const { attempt: attempts, durationMs, error } = event;
        this.#put(event, { status: "failed", attempts, durationMs, error: error.message });
        break;
      }
      case "step-skipped":
        this.#put(event, { status: "skipped" });
        break;
      case "step-blocked":
        this.#put(event, { status: "blocked" });
        break;
      case "step-cancelled":
        this.#put(event, { status: "cancelled" });
        break;
      case "operation-scheduled":
        if (event.kind === "turn") this.#asked(event.input);
        break;
      case "turn-started":
        if (event.step !== undefined)
          this.#turns.set(`${event.agent} ${event.turn}`, keyOf(event.step));
        break;
      case "turn-completed":
      case "turn-failed":
      case "turn-interrupted":
        this.#used(`${event.agent} ${event.turn}`, event.usage);
        break;
      default:
    }
  }

  revise(path: string, execution: number, output: string): void {
    const step = this.#steps.get(keyOf({ path, execution }));
    if (step !== undefined) step.output = output;
  }

  #put(
    event: Pick<StepProfile, "step" | "path" | "execution">,
    changes: Partial<Omit<StepProfile, "step" | "path" | "execution">>,
  ): void {
    const { step, path, execution } = event;
    const known = this.#steps.get(keyOf(event)) ?? {
      ...{ step, path, execution, status: "running", attempts: 0, durationMs: null },
      ...{ costUsd: null, prompt: null, output: null, error: null, isReused: false },
    };
    this.#steps.set(keyOf(event), Object.assign(known, changes));
  }

  #asked(input: unknown): void {
    const { data } = turnInput.safeParse(input);
    const step = data?.step === undefined ? undefined : this.#steps.get(keyOf(data.step));
    if (step !== undefined && data !== undefined) step.prompt ??= data.prompt;
  }

  #used(turn: string, usage: Usage | undefined): void {
    const step = this.#steps.get(this.#turns.get(turn) ?? "");
    if (step === undefined || usage?.costUsd === undefined) return;
    step.costUsd = (step.costUsd ?? 0) + usage.costUsd;
  }
}

/** What tells executions of steps apart. */
export function keyOf({ path, execution }: Pick<StepProfile, "path" | "execution">): string {
  return `${path}\n${execution}`;
}
