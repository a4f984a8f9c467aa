import { statSync } from "node:fs";
import { createMachineAt, type Machine, type MachineParts } from "../app/machine/machine.ts";
import { startRun } from "../app/run/start-run.ts";
import { readListing } from "../app/runs/run-heads.ts";
import { chooseStart, dueStart, nextStart } from "../app/schedules/choose-start.ts";
import { scheduleExists, scheduleProjectMissing } from "../app/schedules/errors.ts";
import { type Schedule, type ScheduledStart, withStart } from "../app/schedules/schedule.ts";
import { findSchedule, openSchedules, type ScheduleList } from "../app/schedules/schedule-list.ts";
import {
  doubtOf,
  loadScheduled,
  type ScheduledWorkflow,
} from "../app/schedules/scheduled-workflow.ts";
import { createTimetable, type DueTimes } from "../app/schedules/timetable.ts";
import type { ScheduleChange } from "../control/daemon-protocol.ts";
import type { ScheduleWish } from "../control/schedule-wish.ts";
import type { Clock, Timer } from "../foundation/clock.ts";
import { toErrorReport } from "../foundation/errors.ts";
import { toIsoTime } from "../foundation/iso-time.ts";
import { present } from "../foundation/present.ts";
import { toBackgroundRun } from "./held-runs.ts";
import { type TakeOptions, takeRun } from "./take-run.ts";

// Owns the list of schedules, and the one timer that tells when the next of their times has come.
// S1: what is decided about a time is durable before anything of it happens, with the id of the run. A daemon that
//     dies between goes on with that run, or starts one in place of what never began; no time is started twice.
// S2: one thing at a time is done about schedules: changes of people and times that have come take their turns.

export interface KeptSchedulesOptions extends TakeOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly parts: MachineParts;
  /** Called whenever there may be more or less to wait for. */
  readonly onChange: () => void;
}

// A machine that sleeps stops the clocks of timers: what it slept through is seen at the next look.
const LOOK_MS = 30_000;

/** The schedules that this process carries out. */
export class KeptSchedules {
  readonly #options: KeptSchedulesOptions;
  #list: ScheduleList | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #timer: Timer | undefined;
  #isAtWork = false;
  #isClosed = false;

  constructor(options: KeptSchedulesOptions) {
    this.#options = options;
  }

  /** Whether there is a time to wait for. */
  get isWaiting(): boolean {
    return this.#list?.all().some(({ status }) => status === "active") === true;
  }

  /** Reads the list, finishes what an earlier daemon had decided, and begins to look at times. Never rejects. */
  begin(): Promise<void> {
    return this.#inTurn(async () => {
      this.#isAtWork = true;
      try {
        for (const schedule of this.#opened().all()) await this.#finish(schedule);
      } catch (error) {
        // Runs of people must not wait for it; whoever asks for schedules is told.
        this.#options.log.failure("no schedule is carried out", error);
      }
      await this.#lookAtAll();
    });
  }

  /** Keeps a new one. Raises SCHEDULE_EXISTS, SCHEDULES_UNREADABLE and what loadScheduled raises. */
  add(wish: ScheduleWish): Promise<{ readonly name: string }> {
    return this.#inTurn(async () => {
      const { log } = this.#options;
      const list = this.#opened();
      const { name } = wish;
      const other = list.all().find((each) => each.name === name);
      if (other !== undefined) throw scheduleExists({ name, file: other.request.file });
      createTimetable(wish.rhythm);
      const { accepted } = await loadScheduled(this.#machineOf(wish), wish);
      const now = this.#now();
      const times = { createdAt: now, decidedUntil: now };
      list.put({ ...wish, ...times, status: "active", accepted, starts: [] });
      log.info(`schedule ${name} is kept: ${wish.request.file}`);
      await this.#lookAtAll();
      return { name };
    });
  }

  /**
   * Pauses, resumes or removes one. Who resumes it lets its file go on as it is now. Raises SCHEDULE_NOT_FOUND,
   * SCHEDULES_UNREADABLE and what loadScheduled raises.
   */
  change(name: string, change: ScheduleChange): Promise<{ readonly name: string }> {
    return this.#inTurn(async () => {
      const list = this.#opened();
      const found = findSchedule(list.all(), name);
      if (change === "remove") list.remove(name);
      else if (change === "pause") list.put({ ...found, status: "paused" });
      else {
        const { accepted } = await loadScheduled(this.#machineOf(found), found);
        list.put({ ...found, status: "active", accepted, decidedUntil: this.#now() });
      }
      this.#options.log.info(`schedule ${name}: ${change}`);
      await this.#lookAtAll();
      return { name };
    });
  }

  /** Starts nothing more; resolves when what was about to start has come to a decision. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#turn;
  }

  #opened(): ScheduleList {
    this.#list ??= openSchedules(this.#options.file);
    return this.#list;
  }

  #inTurn<Value>(act: () => Promise<Value>): Promise<Value> {
    const done = this.#turn.then(act);
    // Whoever asked sees the error.
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Decides on all times that have come, and waits for the next one. */
  async #lookAtAll(): Promise<void> {
    if (!this.#isAtWork) return;
    for (const { name } of this.#list?.all() ?? []) await this.#lookAt(name);
    this.#wait();
    this.#options.onChange();
  }

  #wait(): void {
    this.#timer?.cancel();
    if (this.#isClosed || !this.isWaiting) return;
    const { clock } = this.#options;
    const times = this.#opened()
      .all()
      .flatMap((schedule) => nextStart(schedule) ?? []);
    const delayMs = Math.min(LOOK_MS, ...times.map((time) => Math.max(0, time - clock.now())));
    this.#timer = clock.startTimer(delayMs, () => {
      // Nothing of it is left to fail: each schedule is told for itself.
      void this.#inTurn(() => this.#lookAtAll());
    });
  }

  async #lookAt(name: string): Promise<void> {
    const schedule = this.#opened()
      .all()
      .find((each) => each.name === name);
    if (schedule === undefined || this.#isClosed) return;
    const { clock, log } = this.#options;
    try {
      const due = dueStart(schedule, clock.now());
      if (due !== undefined) await this.#decide(schedule, due);
    } catch (error) {
      log.failure(`schedule ${name}`, error);
    }
  }

  async #decide(schedule: Schedule, due: DueTimes): Promise<void> {
    const { nowMs, time } = this.#timeOf(due);
    try {
      const machine = this.#machineOf(schedule);
      const running = runningOf(machine, schedule);
      const workflow = running === undefined ? await loadScheduled(machine, schedule) : undefined;
      const doubt = workflow && doubtOf(schedule.accepted, workflow.accepted);
      const choice = chooseStart(due, { running, doubt, nowMs }, machine.newRunId());
      const decided = this.#note(schedule, choice);
      if (choice.status !== "starting" || workflow === undefined) return;
      await this.#start(decided, choice, { machine, workflow });
    } catch (error) {
      const { message: reason } = toErrorReport(error);
      this.#note(schedule, { ...time, status: "failed", reason });
    }
  }

  #timeOf({ dueMs, missed }: DueTimes) {
    const nowMs = this.#options.clock.now();
    return { nowMs, time: { due: toIsoTime(dueMs), at: toIsoTime(nowMs), missed } };
  }

  /** Writes down what becomes of a time, and tells it. */
  #note(schedule: Schedule, decided: ScheduledStart): Schedule {
    const next = withStart(schedule, decided);
    this.#opened().put(next);
    this.#options.log.info(`schedule ${schedule.name}, ${decided.due}: ${wordsOf(decided)}`);
    return next;
  }

  async #start(
    schedule: Schedule,
    { run, ...time }: Extract<ScheduledStart, { status: "starting" }>,
    { machine, workflow }: { readonly machine: Machine; readonly workflow: ScheduledWorkflow },
  ): Promise<void> {
    const { definition, cassette } = workflow;
    const { start, name } = schedule;
    const { instance } = start;
    const entry = toBackgroundRun(machine, { run, workflow: definition.name, instance });
    const given = present({ ...start, cassette, fileHash: workflow.accepted.fileHash });
    try {
      await takeRun(entry, this.#options, () =>
        startRun(machine, definition, { ...given, id: run, schedule: { name, due: time.due } }),
      );
      this.#note(schedule, { ...time, run, status: "started" });
    } catch (error) {
      // It is about to end: the next daemon finishes what is decided.
      if (this.#options.held.isDraining) return;
      const { message: reason } = toErrorReport(error);
      this.#note(schedule, { ...time, status: "failed", reason });
    }
  }

  /** What an earlier daemon had decided to start: it did, or it is done now. */
  async #finish(schedule: Schedule): Promise<void> {
    const open = schedule.starts.find((start) => start.status === "starting");
    if (open?.status !== "starting") return;
    try {
      const machine = this.#machineOf(schedule);
      if (isBegun(machine, open.run)) {
        this.#note(schedule, { ...open, status: "started" });
        return;
      }
      const workflow = await loadScheduled(machine, schedule);
      const reason = doubtOf(schedule.accepted, workflow.accepted);
      if (reason !== undefined) {
        this.#note(schedule, { ...heldFrom(open), reason });
        return;
      }
      // What a death left of a journal in which nothing stands can be in the way of another one.
      const run = machine.store.has(open.run) ? machine.newRunId() : open.run;
      const again = { ...open, run };
      await this.#start(this.#note(schedule, again), again, { machine, workflow });
    } catch (error) {
      const { message: reason } = toErrorReport(error);
      this.#note(schedule, { ...heldFrom(open), status: "failed", reason });
    }
  }

  /** As if a command were typed where the schedule was made, with the environment of the daemon. */
  #machineOf({ cwd, troupeDirectory }: Pick<ScheduleWish, "cwd" | "troupeDirectory">): Machine {
    const { env, parts } = this.#options;
    if (statSync(cwd, { throwIfNoEntry: false }) === undefined)
      throw scheduleProjectMissing({ directory: cwd });
    return createMachineAt({ cwd, env: { ...env, TROUPE_DIR: troupeDirectory } }, parts);
  }

  #now(): string {
    return toIsoTime(this.#options.clock.now());
  }
}

function heldFrom({ due, at, missed }: ScheduledStart) {
  return { due, at, missed, status: "held" } as const;
}

/** Whether a run has begun. What was made of one that has not is taken away, so that it can be made again. */
function isBegun({ store }: Machine, run: string): boolean {
  if (!store.has(run)) return false;
  try {
    const journal = store.open(run, "read");
    const lastSeq = journal.lastSeq();
    journal.close();
    if (lastSeq > 0) return true;
  } catch (error) {
    if (toErrorReport(error).code === "RUN_NOT_FOUND") return false;
    throw error;
  }
  store.remove(run);
  return false;
}

/** The run of a schedule that is not over: one that waits or is paused may go on at any time. */
function runningOf({ store, isGone }: Machine, { starts }: Schedule): string | undefined {
  const last = starts.findLast((start) => start.status === "started");
  if (last?.status !== "started" || !store.has(last.run)) return undefined;
  const outcome = readListing(store, last.run, isGone)?.outcome ?? null;
  return outcome === null ? last.run : undefined;
}

function wordsOf(start: ScheduledStart): string {
  switch (start.status) {
    case "starting":
      return `${start.run} is started`;
    case "started":
      return `${start.run} goes on`;
    case "skipped":
      return `skipped, as ${start.run} is not over`;
    case "held":
      return `held: ${start.reason}; look at it, then: troupe schedule resume`;
    case "failed":
      return `failed: ${start.reason}`;
  }
}
