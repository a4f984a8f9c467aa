import { setImmediate } from "node:timers/promises";
import type { BackgroundRun, BackgroundRuns } from "../app/background/background-runs.ts";
import { daemonStopping, runNotHeld } from "../app/background/errors.ts";
import type { Machine } from "../app/machine/machine.ts";
import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import type { HeldRunReport, RunParted } from "../control/daemon-protocol.ts";
import { runStatus } from "../fold/waiting.ts";
import { toErrorReport } from "../foundation/errors.ts";
import { finishedWork } from "./choose-resumption.ts";
import type { DaemonLog } from "./daemon-log.ts";

// Owns the runs that this daemon carries out, from the moment it is asked to until they part.
// H1: a run is on the list before its first effect, and leaves it when it is over or a person let go of it.
// H2: once the daemon drains, nothing new is taken, and every run is let go with its state saved.

/** A run that the daemon carries out. */
interface Held {
  readonly entry: BackgroundRun;
  readonly run: WorkflowRun;
  readonly parted: Promise<RunParted>;
}

export interface HeldRunsOptions {
  readonly background: BackgroundRuns;
  readonly log: DaemonLog;
  /** Called whenever there is one run more or less. */
  readonly onChange: () => void;
}

const TERMINATED_EXIT_CODE = 143;
const FAILED_EXIT_CODE = 70;
const LET_GO_AT_ONCE = 8;

/** The runs in the hands of this process. */
export class HeldRuns {
  readonly #options: HeldRunsOptions;
  readonly #held = new Map<string, Held>();
  readonly #taking = new Set<Promise<unknown>>();
  #isDraining = false;
  #letGo = 0;

  constructor(options: HeldRunsOptions) {
    this.#options = options;
  }

  /** Whether there is nothing that the daemon would have to stay for. */
  get isEmpty(): boolean {
    return this.#held.size === 0 && this.#taking.size === 0;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** How many runs were let go so far, by draining. */
  get letGo(): number {
    return this.#letGo;
  }

  /** What is held, and what was given up. */
  report(): {
    readonly runs: readonly HeldRunReport[];
    readonly givenUp: readonly HeldRunReport[];
  } {
    const givenUp = this.#options.background
      .all()
      .filter(({ status }) => status === "given-up")
      .map((entry) => toReport(entry, "given up"));
    const runs = [...this.#held.values()].map(({ entry, run }) =>
      toReport(entry, runStatus(run.state)),
    );
    return { runs, givenUp };
  }

  /**
   * Takes a run: puts it on the list, lets `begin` carry it out, and stays with it until both part. Raises
   * DAEMON_STOPPING and what `begin` raises; what the list then says of the run is up to the caller.
   */
  take(entry: BackgroundRun, begin: () => Promise<WorkflowRun>): Promise<WorkflowRun> {
    if (this.#isDraining) return Promise.reject(daemonStopping({}));
    const taken = this.#take(entry, begin);
    this.#taking.add(taken);
    const done = () => {
      this.#taking.delete(taken);
      this.#options.onChange();
    };
    // Whoever asked sees the error.
    taken.then(done, done);
    return taken;
  }

  async #take(entry: BackgroundRun, begin: () => Promise<WorkflowRun>): Promise<WorkflowRun> {
    const { background, log } = this.#options;
    background.put({ ...entry, status: "taking" });
    const run = await begin();
    const held = { ...entry, status: "held", finished: finishedWork(run.state) } as const;
    const parted = this.#attend(run, held);
    this.#held.set(keyOf(entry), { entry: held, run, parted });
    background.put(held);
    log.info(`${run.id} (${entry.workflow}@${entry.instance}) is carried out here`);
    return run;
  }

  /** Whether a run is in the hands of this process. */
  has(run: Pick<BackgroundRun, "run" | "troupeDirectory">): boolean {
    return this.#held.has(keyOf(run));
  }

  /** Resolves once daemon and run have parted. Raises DAEMON_RUN_NOT_HELD. */
  parted(asked: Pick<BackgroundRun, "run" | "troupeDirectory">): Promise<RunParted> {
    const held = this.#held.get(keyOf(asked));
    if (held === undefined) throw runNotHeld({ run: asked.run });
    return held.parted;
  }

  /**
   * Lets go of all runs with their state saved. Each saves its state in one go, so between a few of them others are
   * heard: the clock that says when there is no more time for it.
   */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await Promise.allSettled([...this.#taking]);
    const all = [...this.#held.values()];
    for (const [index, { run, parted }] of all.entries()) {
      // How they parted is seen by `parted`, errors included.
      run.suspend(TERMINATED_EXIT_CODE).catch(() => {});
      void parted.then(() => {
        this.#letGo += 1;
      });
      if (index % LET_GO_AT_ONCE === LET_GO_AT_ONCE - 1) await setImmediate();
    }
    await Promise.all(all.map(({ parted }) => parted));
  }

  async #attend(run: WorkflowRun, entry: BackgroundRun): Promise<RunParted> {
    const { background, log, onChange } = this.#options;
    try {
      const { status, event } = await run.parted;
      const isSuspended = event.type === "run-suspended";
      const error = isSuspended ? event.error : undefined;
      const isToGoOn = isSuspended && event.reason === "interrupted";
      // Only a person can continue it: the next daemon would end in the same place.
      if (error !== undefined)
        background.put({ ...entry, status: "given-up", problem: error.message });
      else if (!isToGoOn) background.remove(entry);
      log.info(`${run.id} ${describe(event)}`);
      return { status, exitCode: event.exitCode };
    } catch (error) {
      const { code, message } = toErrorReport(error);
      log.error(`${run.id} had to be let go: ${code}: ${message}`);
      // Somebody else has it, and answers for it.
      if (code === "ENGINE_LEASE_LOST") background.remove(entry);
      else background.put({ ...entry, status: "given-up", problem: message });
      return { status: "failed", exitCode: FAILED_EXIT_CODE };
    } finally {
      this.#held.delete(keyOf(entry));
      onChange();
    }
  }
}

/** What the list says of a run of this machine's project before it is taken. */
export function toBackgroundRun(
  { project, trustsProject }: Machine,
  run: Pick<BackgroundRun, "run" | "workflow" | "instance">,
): BackgroundRun {
  return {
    ...run,
    cwd: project.cwd,
    project: project.root,
    troupeDirectory: project.troupeDirectory,
    status: "taking",
    deaths: 0,
    finished: 0,
    ...(trustsProject ? { trustsProject } : {}),
  };
}

type LastEvent = Awaited<WorkflowRun["parted"]>["event"];

function describe(event: LastEvent): string {
  return event.type === "run-ended"
    ? `is over: ${event.outcome}, ${event.reason}`
    : `was let go: ${event.reason}`;
}

function toReport(entry: BackgroundRun, state: string): HeldRunReport {
  const { run, project, workflow, instance, problem } = entry;
  const why = problem === undefined ? {} : { problem };
  return { run, project, workflow, instance, state, ...why };
}

function keyOf({ run, troupeDirectory }: Pick<BackgroundRun, "run" | "troupeDirectory">): string {
  return `${troupeDirectory}:${run}`;
}
