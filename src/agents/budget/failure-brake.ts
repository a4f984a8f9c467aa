import type { EventOf, JournalEvent } from "../../contracts/events/event.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import { isRecord } from "../../foundation/json.ts";
import { type FailureDetails, limitFailures } from "./errors.ts";

// Owns the count of failed turns in a row, where Troupe or an agent chooses to repeat and no file bounds it: tasks of a
// team, turns that messages start, and agents that others spawn.
// F1: a turn of a step counts with its step, after all attempts that are written for it. Steps that nothing gives out as a
//     task do not count: their failure is what the pattern or the file makes of it.
//     Nor do further attempts at the same messages, of which dead letters come, or turns of shadows.
// F2: failures count per agent, and per task across agents. A success resets the count of its agent and its task.
//     An iteration of a series counts with all its attempts. It stops the run when the next one begins, so that a written
//     number of iterations is reached first. A series inside of a step is a step: its file says what its failure means.
// F3: the count is kept in memory and starts again with every owner: a person who resumes the run has looked at it.
// F4: a person or a limit that ends turns is no failure of an agent, and what a person says begins every count again.

/** Counts failed turns in a row and stops the run, resumable, once there are too many. */
export class FailureBrake {
  readonly #runtime: RunRuntime;
  readonly #failures = new Map<string, number>();
  /** What each agent was given to do last, by its id. */
  readonly #tasks = new Map<string, string>();
  /** Turns that serve no step, by agent, with what they were given. */
  readonly #free = new Map<string, string>();
  /** What the last failed turn of an agent was given. */
  readonly #missed = new Map<string, string>();
  #isOn = false;

  constructor(runtime: RunRuntime) {
    this.#runtime = runtime;
    runtime.onAppended((event) => this.#take(event));
  }

  /** Whether the run is to end, so that nothing begins any more. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Ends the run as soon as nothing works any more. The first error counts. */
  stop(error: ErrorReport): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#runtime.stopAtLimit(error, "when-still");
  }

  #take(event: JournalEvent): void {
    switch (event.type) {
      case "turn-started":
        this.#begin(event);
        return;
      case "turn-failed":
        if (this.#isNew(event.agent)) this.#failed(event.agent, event.error);
        return;
      case "turn-completed":
        if (this.#free.delete(event.agent)) this.#completed(event);
        return;
      case "step-failed":
        if (this.#tasks.has(event.step)) this.#failed(event.step, event.error);
        return;
      case "step-completed":
        this.#succeeded(event.step);
        return;
      case "collab-began":
        for (const agent of event.agents) this.#give(agent, event.prompt);
        return;
      case "pattern-advanced":
        this.#takeTask(event);
        this.#takeIteration(event);
        return;
      case "message-posted":
        if (event.from === "user") this.#failures.clear();
        return;
      default:
        return;
    }
  }

  #begin({ agent, step, items }: EventOf<"turn-started">): void {
    const isShadow = this.#runtime.state.agents.get(agent)?.spec.shadow !== undefined;
    if (step === undefined && !isShadow) this.#free.set(agent, JSON.stringify(items));
    else this.#free.delete(agent);
  }

  /** Whether a failed turn counts: its messages are none that its agent has failed at before. */
  #isNew(agent: string): boolean {
    const items = this.#free.get(agent);
    const isNew = items !== undefined && items !== this.#missed.get(agent);
    this.#free.delete(agent);
    if (items !== undefined) this.#missed.set(agent, items);
    return isNew;
  }

  #completed({ agent, signals }: EventOf<"turn-completed">): void {
    const negative = signals.find(({ kind }) => kind === "failed" || kind === "blocked");
    if (negative === undefined) this.#succeeded(agent);
    else this.#count(agent);
  }

  /** A task of a team that somebody has begun. */
  #takeTask({ kind, data }: EventOf<"pattern-advanced">): void {
    if (kind !== TASK_CHANGED || !isRecord(data)) return;
    const { owner, status, title } = data;
    if (status !== "in_progress" || typeof owner !== "string" || typeof title !== "string") return;
    this.#give(owner, title);
  }

  #takeIteration({ kind, data, path }: EventOf<"pattern-advanced">): void {
    const { state, run } = this.#runtime;
    const { failures: limit } = state.run.limits;
    if (path !== undefined || limit === undefined || !isRecord(data)) return;
    const failures = this.#failures.get(SERIES) ?? 0;
    if (kind === ITERATION_COMPLETED)
      this.#failures.set(SERIES, data["success"] === true ? 0 : failures + 1);
    if (kind === ITERATION_STARTED && failures >= limit)
      this.stop(toErrorReport(limitFailures({ run, of: "series", name: "", limit })));
  }

  #give(agent: string, task: string | undefined): void {
    if (task !== undefined) this.#tasks.set(agent, task.replace(/\s+/g, " ").trim().toLowerCase());
  }

  #failed(agent: string, { code }: ErrorReport): void {
    if (!code.startsWith("LIMIT_") && !NO_FAILURES.has(code)) this.#count(agent);
  }

  #succeeded(agent: string): void {
    for (const key of this.#keysOf(agent)) this.#failures.delete(key);
  }

  #count(agent: string): void {
    const { state, run } = this.#runtime;
    const { failures: limit } = state.run.limits;
    const task = this.#tasks.get(agent);
    for (const key of this.#keysOf(agent)) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      if (limit === undefined || failures < limit) continue;
      const of: FailureDetails["of"] = key === agent ? "agent" : "task";
      const name = of === "agent" ? agent : (task ?? "");
      this.stop(toErrorReport(limitFailures({ run, of, name, limit })));
    }
  }

  /** An id has no space at its beginning. */
  #keysOf(agent: string): readonly string[] {
    const task = this.#tasks.get(agent);
    return task === undefined ? [agent] : [agent, ` ${task}`];
  }
}

/** Key of the failed iterations of the run, which is neither an id nor a task. */
const SERIES = "\n";
const ITERATION_STARTED = "iteration-started";
const ITERATION_COMPLETED = "iteration-completed";

/** Kind of the note that tells of a changed task of a team. */
const TASK_CHANGED = "task-changed";

/** Errors of turns that somebody has ended, or whose agent was ended with them. */
const NO_FAILURES: ReadonlySet<string> = new Set([
  "AGENT_INTERRUPTED",
  "AGENT_GONE",
  "ENGINE_CANCELLED",
]);
