import { createMachineAt, type Machine } from "../../../src/app/machine/machine.ts";
import type { WorkflowRun } from "../../../src/app/run/owner/workflow-run.ts";
import { resumeOnMachine } from "../../../src/app/run/resume-run.ts";
import { startRun } from "../../../src/app/run/start-run.ts";
import { type LoadedFile, loadFile } from "../../../src/app/workflow/load-file.ts";
import type { JournalEvent } from "../../../src/contracts/events/event.ts";
import type { RunStore } from "../../../src/contracts/ports/store.ts";
import type { Json } from "../../../src/foundation/json.ts";
import type { KickoffResult } from "../../../src/programs/kickoff/kickoff-result.ts";
import { createManualClock, type ManualClock, settle } from "../../../src/testing/manual-clock.ts";
import { type FinishedRun, watchRun } from "../../../src/testing/tested-run.ts";

/** How a kickoff run of a test differs from the plainest one. */
export interface KickoffStart {
  /** Turns of scripted agents, as the `agents` block of a cassette. */
  readonly turns?: Json;
  readonly until?: "idle" | "stopped";
  readonly task?: string;
  readonly params?: { readonly [name: string]: Json };
  readonly instance?: string;
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  readonly store?: RunStore;
  /** Called with every event as it becomes durable, before time goes on. */
  readonly onEvent?: (event: JournalEvent, run: WorkflowRun) => void;
}

/** A kickoff run that has ended, with its result. */
export interface KickoffEnd extends FinishedRun {
  readonly reason: string;
  readonly exitCode: number | undefined;
  readonly kickoffResult: KickoffResult;
  /** What was said, in order: `from: text`. */
  readonly said: readonly string[];
}

// More turns of the event loop in which nothing is written than anything that is ready needs.
const QUIET_ROUNDS = 8;

/** Runs the text of a kickoff workflow under a virtual clock; its setup would need real time. */
export async function runKickoff(text: string, start: KickoffStart = {}): Promise<KickoffEnd> {
  const clock = createManualClock();
  const machine = machineOf(start, clock);
  const { definition, problems } = await loadText(machine, text, start);
  if (definition === undefined) throw new Error(problems.map(({ message }) => message).join("\n"));
  const { task, params, instance, turns } = start;
  const run = await startRun(machine, definition, {
    suspendsWhenWaiting: true,
    ...(task === undefined ? {} : { task }),
    ...(params === undefined ? {} : { params }),
    ...(instance === undefined ? {} : { instance }),
    ...(turns === undefined ? {} : { cassette: cassetteOf(turns) }),
  });
  return drive(machine, run, { clock, onEvent: start.onEvent });
}

/**
 * Loads what calls of tools need, by a run in real time: the first of them would take longer than the clock of the other
 * runs waits for it.
 */
export async function loadTools(): Promise<void> {
  const machine = createMachineAt({ store: "memory" });
  const text = "agents: { a: { spawns: true } }\nkickoff: go\noptions: { quiet: 1ms }\n";
  const { definition } = await loadText(machine, text);
  if (definition === undefined) throw new Error("the workflow of the first run is wrong");
  const call = (tool: string, input: Json) => ({ call: { tool, arguments: input } });
  const calls = [
    call("Task", { description: "look", prompt: "Where?" }),
    call("spawn_agent", { prompt: "Where?", name: "kid" }),
    call("wait", {}),
    call("send_input", { id: "kid", prompt: "And where?" }),
    call("close_agent", { id: "kid" }),
  ];
  const cassette = cassetteOf({ a: [{ do: calls, say: "done" }] });
  const run = await startRun(machine, definition, { cassette });
  await run.parted;
}

/** Goes on with a run that the store holds. */
export async function resumeKickoff(id: string, store: RunStore): Promise<KickoffEnd> {
  const clock = createManualClock(Date.UTC(2030, 0, 1));
  const machine = machineOf({ store }, clock);
  const resumption = await resumeOnMachine(machine, id, { suspendsWhenWaiting: true });
  if (resumption.status === "over") throw new Error(`${id} is over`);
  return drive(machine, resumption.run, { clock, onEvent: undefined });
}

/** Loads the text of a kickoff workflow with all that the application knows. */
export function loadText(
  machine: Machine,
  text: string,
  { until }: Pick<KickoffStart, "until"> = {},
): Promise<LoadedFile> {
  const request = { file: "flow.yaml", text, backend: "script" };
  return loadFile(machine, until === undefined ? request : { ...request, until });
}

async function drive(
  machine: Machine,
  run: WorkflowRun,
  { clock, onEvent }: { readonly clock: ManualClock; readonly onEvent: KickoffStart["onEvent"] },
): Promise<KickoffEnd> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  run.parted.then(over, over);
  let written = 0;
  const reading = (async () => {
    for await (const event of run.events) {
      written += 1;
      onEvent?.(event, run);
    }
  })();
  for (let fired = 0; !isOver && fired < 10_000; fired += 1) {
    // The first event has to come before any time is over.
    for (let before = -1; (before !== written || written === 0) && !isOver; ) {
      before = written;
      await settle(QUIET_ROUNDS);
    }
    if (!isOver) await clock.advanceToNext();
  }
  if (!isOver) throw new Error(`${run.id} does not end`);
  await reading;
  return toEnd(await watchRun(machine, run).over());
}

function toEnd(finished: FinishedRun): KickoffEnd {
  const { parting, state } = finished;
  const { event } = parting;
  const result: unknown = event.type === "run-ended" ? event.result : undefined;
  assertResult(result);
  return {
    ...finished,
    reason: event.reason,
    exitCode: event.exitCode,
    kickoffResult: result,
    said: state.messages.recent.map(({ from, text }) => `${from}: ${text}`),
  };
}

/** The journal has it as JSON; the tests look at what is in it. */
function assertResult(_value: unknown): asserts _value is KickoffResult {}

function machineOf({ cwd, env, store }: KickoffStart, clock: ManualClock): Machine {
  const machine = createMachineAt({
    clock,
    store: "memory",
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
  });
  return store === undefined ? machine : { ...machine, store };
}

function cassetteOf(turns: Json): { readonly file: string; readonly source: string } {
  return { file: "test.json", source: JSON.stringify({ version: 1, agents: turns }) };
}
