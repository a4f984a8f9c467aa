import type { WorkflowDefinition } from "../../contracts/definition.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { RunCommand } from "../../contracts/events/run-events.ts";
import type { Journal } from "../../contracts/ports/store.ts";
import type { InboxItem } from "../../fold/state/inbox-state.ts";
import { isWaitingForPerson } from "../../fold/waiting.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { TroupeError } from "../../foundation/errors.ts";
import type { WorkflowRun } from "../run/owner/workflow-run.ts";
import { resumeOnMachine } from "../run/resume-run.ts";
import { type StartOptions, startRun } from "../run/start-run.ts";
import { createBusyCheck, driveRun } from "./drive-run.ts";
import { matchText } from "./match-text.ts";
import type { RunEvidence } from "./run-evidence.ts";
import { createStage, type Stage, type StagedProcess, type StageOptions } from "./stage.ts";
import type { ScriptedDecision } from "./test-file-schema.ts";

/** How a workflow is played. */
export interface Trial extends Omit<StageOptions, "diesAfter"> {
  readonly definition: WorkflowDefinition;
  readonly start: StartOptions;
  readonly people: readonly ScriptedDecision[];
  /** Whether the process dies after an event; one after the other, the run is resumed by a new process each time. */
  readonly kills: readonly ((event: JournalEvent) => boolean)[];
  readonly withinMs: number;
  /** See Drive. */
  readonly momentMs: number;
}

/** A run that was played. */
export interface PlayedRun extends RunEvidence {
  readonly stage: Stage;
  /** Timers that were left when it was over. */
  readonly timersLeft: number;
  /** How often its process was killed. */
  readonly deaths: number;
}

/**
 * Plays a workflow on a clock that moves on by itself, in memory, until it is over or only people could move it on.
 * Raises TEST_RUN_ENDLESS and what startRun and resumeOnMachine raise.
 */
export async function playTrial(trial: Trial): Promise<PlayedRun> {
  const { definition, start, kills, withinMs, momentMs } = trial;
  const { program: _program, ...again } = start;
  const fate: Fate = { deaths: 0, isKilled: false, kills, seen: new Map() };
  const stage = createStage({ ...trial, diesAfter: (journal) => meetFate(fate, journal) });
  const people = createPeople(trial.people, stage);
  const isBusy = createBusyCheck();
  let process = stage.begin();
  try {
    let run = await startRun(process.machine, definition, start);
    for (;;) {
      const current = run;
      const onQuiet = () => people.decide(current);
      await driveRun({
        stage,
        run,
        withinMs,
        momentMs,
        isBusy,
        isKilled: () => fate.isKilled,
        onQuiet,
      });
      if (!fate.isKilled) return await toPlayed(run, { stage, process, deaths: fate.deaths });
      await process.kill();
      fate.isKilled = false;
      fate.deaths += 1;
      process = stage.begin();
      const resumption = await resumeOnMachine(process.machine, run.id, again);
      if (resumption.status === "over") throw new Error(`${run.id} died when it was over`);
      run = resumption.run;
    }
  } finally {
    await process.kill();
  }
}

/** Where the process of a run dies. */
interface Fate {
  deaths: number;
  isKilled: boolean;
  readonly kills: Trial["kills"];
  /** Of the last event that was looked at, by run. */
  readonly seen: Map<string, number>;
}

function meetFate(fate: Fate, journal: Journal): boolean {
  const { seen } = fate;
  const kill = fate.kills[fate.deaths];
  if (kill === undefined || fate.isKilled) return false;
  const events = [...journal.read(seen.get(journal.run) ?? 0)];
  seen.set(journal.run, journal.lastSeq());
  // Whoever dies with the end of a run has nothing to come back to.
  if (events.some(({ type }) => type === "run-ended")) return false;
  fate.isKilled = events.some(kill);
  return fate.isKilled;
}

async function toPlayed(
  run: WorkflowRun,
  { stage, process, deaths }: { stage: Stage; process: StagedProcess; deaths: number },
): Promise<PlayedRun> {
  const parting = await run.parted;
  const journal = stage.store.open(run.id, "read");
  return {
    id: run.id,
    parting,
    outcome: parting.status === "ended" ? parting.event.outcome : "suspended",
    result: parting.status === "ended" ? await run.result.catch(withoutPattern) : undefined,
    state: run.state,
    events: [...journal.read()],
    stage,
    timersLeft: process.timerCount,
    deaths,
  };
}

/** Workflows without a pattern have another result. */
function withoutPattern(error: unknown): undefined {
  if (error instanceof TroupeError && error.code === "RUN_RESULT_DIFFERS") return undefined;
  throw error;
}

interface People {
  /** Decides what waits; false when nobody moves the run on. */
  decide(run: WorkflowRun): Promise<boolean>;
}

/** Those who decide what a run asks people for; what fits none of their decisions lets go of it. */
function createPeople(decisions: readonly ScriptedDecision[], { time }: Stage): People {
  const left = [...decisions];
  const taken = new Set<string>();
  return {
    decide: async (run) => {
      let isThinking = false;
      for (const item of run.state.inbox.values()) {
        if (taken.has(item.id)) {
          isThinking = true;
          continue;
        }
        const index = left.findIndex((decision) => fits(decision, item));
        const decision = left[index];
        if (decision === undefined) continue;
        if (decision.always !== true) left.splice(index, 1);
        taken.add(item.id);
        const give = async () => {
          taken.delete(item.id);
          // Whatever asked may have ended while the person thought.
          if (run.state.inbox.has(item.id)) await run.command(toCommand(decision, item), "user");
        };
        if (decision.after === undefined) {
          await give();
          return true;
        }
        // What is refused here is refused as for a person: the run goes on waiting.
        time.startTimer(parseDuration(decision.after), () => void give().catch(() => {}));
        return true;
      }
      if (isThinking || !isWaitingForPerson(run.state)) return false;
      await run.suspend(3);
      return true;
    },
  };
}

function fits(decision: ScriptedDecision, item: InboxItem): boolean {
  const { asked, agent, step } = decision;
  if (item.kind !== kindOf(decision)) return false;
  if (agent !== undefined && item.agent !== agent) return false;
  if (step !== undefined && item.step !== step) return false;
  return asked === undefined || matchText(item.text, asked) === undefined;
}

function kindOf({ answer, approve }: ScriptedDecision): InboxItem["kind"] {
  if (answer !== undefined) return "question";
  return approve === undefined ? "permission" : "approval";
}

function toCommand(
  { answer, approve, allow, comment }: ScriptedDecision,
  item: InboxItem,
): RunCommand {
  const said = comment === undefined ? {} : { comment };
  if (answer !== undefined) return { kind: "answer-question", id: item.id, answer };
  if (approve !== undefined)
    return {
      kind: "resolve-approval",
      approval: item.id,
      decision: approve ? "approved" : "rejected",
      ...said,
    };
  return {
    kind: "resolve-permission",
    id: item.id,
    decision: allow === true ? "allowed" : "denied",
    ...said,
  };
}
