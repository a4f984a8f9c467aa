import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "../app/machine/machine.ts";
import { findProject } from "../app/machine/place/project.ts";
import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import type { StartOptions } from "../app/run/start-run.ts";
import type { OwnCode } from "../app/workflow/code/workflow-code.ts";
import type { PatternDefinition, WorkflowDefinition } from "../contracts/definition.ts";
import type { JournalEvent } from "../contracts/events/event.ts";
import { emptyRunState } from "../fold/state/run-state.ts";
import { isWaitingForPerson } from "../fold/waiting.ts";
import { TroupeError } from "../foundation/errors.ts";
import { freeShortId } from "../foundation/ids.ts";
import { present } from "../foundation/present.ts";
import type { Random } from "../foundation/random.ts";
import { secureRandom } from "../foundation/secure-random.ts";
import { assertApprovals, machineFor } from "./sdk-machine.ts";
import type { WorkflowOptions } from "./task-definition.ts";

/** As of a run that the command line lets go of when only people can move it on. */
const WAITING_EXIT_CODE = 3;

/** A definition with what its run is started with. */
export interface PreparedStart {
  readonly definition: WorkflowDefinition;
  readonly start: Omit<StartOptions, "id">;
}

/** A run that is about to start, and the machine that carries it out. */
export interface BegunRun {
  readonly run: WorkflowRun;
  readonly machine: Promise<Machine>;
}

/**
 * Starts a run and hands out its handle at once; what goes wrong at the start rejects `result` and `parted`: what
 * `troupe validate` would refuse in a file is WORKFLOW_INVALID.
 */
export function beginRun(
  definition: PatternDefinition,
  options: WorkflowOptions,
  start: Omit<StartOptions, "id"> = {},
): WorkflowRun {
  const { backends } = options;
  return beginPrepared(options, () => ({
    definition,
    start: { ...start, ...present({ backends }) },
  })).run;
}

/** The same for what has to be made ready first. */
export function beginPrepared(
  options: WorkflowOptions,
  prepare: (machine: Machine) => Promise<PreparedStart> | PreparedStart,
): BegunRun {
  const id = newRunIdFor(options);
  const { onMessage, onAgentDone, onTaskAugmented, approvals } = options;
  const { onReflect, scorer, onReflectionComplete } = options;
  const machine = machineFor(options);
  const hooks = present({
    ...{ onMessage, onAgentDone, onTaskAugmented },
    ...{ onReflect, scorer, onReflectionComplete },
  });
  const audience = createAudience();
  const common = { ...hooks, approvals, id, suspendsWhenWaiting: audience.isMissing };
  const starting = startLater(machine, prepare, common);
  return { run: audienceRun(id, { starting, audience }), machine };
}

/** The engine is loaded when the first run needs it, so that importing the SDK costs next to nothing. */
async function startLater(
  opening: Promise<Machine>,
  prepare: (machine: Machine) => Promise<PreparedStart> | PreparedStart,
  common: StartOptions,
): Promise<WorkflowRun> {
  const [{ startRun }, machine] = await Promise.all([import("../app/run/start-run.ts"), opening]);
  await assertApprovals(machine, common);
  const { definition, start } = await prepare(machine);
  await assertDefinition(machine, definition, start);
  return startRun(machine, definition, { ...common, ...start });
}

/** Refuses what would be refused as a file. Raises WORKFLOW_INVALID, which holds all problems. */
async function assertDefinition(
  machine: Machine,
  definition: WorkflowDefinition,
  own: OwnCode,
): Promise<void> {
  const [{ codeOf, ownCode }, { shapeOf }, { workflowInvalid }] = await Promise.all([
    import("../app/workflow/plugins/code-of.ts"),
    import("../app/workflow/shapes/registry.ts"),
    import("../workflows/errors.ts"),
  ]);
  const shape = await shapeOf(definition, await codeOf(machine, ownCode(own)));
  const problems = (await shape.check?.(definition)) ?? [];
  const { name: file } = definition;
  if (problems.length > 0) throw workflowInvalid({ file, problems, isCode: true });
}

/** Whether a run that only people can move on has somebody who would learn of it. */
interface Audience {
  /** Whether a caller waits for the result, and none has looked at events, agents or state: nobody knows what is asked. */
  isMissing(): boolean;
  attend(): void;
  wantResult(): void;
}

/** Nobody waits for the result yet, and nobody has looked. */
export function createAudience(): Audience {
  let isAttended = false;
  let isWanted = false;
  return {
    isMissing: () => isWanted && !isAttended,
    attend: () => {
      isAttended = true;
    },
    wantResult: () => {
      isWanted = true;
    },
  };
}

/**
 * The handle of a run that starts or has started. Its `result` settles also when only people can move the run on: with
 * nobody who attends, the run is let go.
 */
export function audienceRun(
  id: string,
  {
    starting,
    audience,
    run,
  }: {
    readonly starting: Promise<WorkflowRun>;
    readonly audience: Audience;
    readonly run?: WorkflowRun;
  },
): WorkflowRun {
  let started = run;
  const parted = starting.then((run) => {
    started = run;
    return run.parted;
  });
  const result = starting.then((run) => run.result);
  // A caller may watch either of the two, or the events alone.
  parted.catch(() => {});
  result.catch(() => {});
  return {
    id,
    parted,
    get result() {
      audience.wantResult();
      void letGoOfWaiting(starting, audience);
      return result;
    },
    events: eventsOf(starting, audience),
    get agents() {
      audience.attend();
      return started?.agents ?? [];
    },
    get state() {
      audience.attend();
      return started?.state ?? emptyRunState(id);
    },
    cancel: async (reason) => (await starting).cancel(reason),
    suspend: async (exitCode) => (await starting).suspend(exitCode),
    broadcast: async (text) => (await starting).broadcast(text),
    send: async (text, options) => (await starting).send(text, options),
    answer: async (question, text) => (await starting).answer(question, text),
    approve: async (item, decision) => (await starting).approve(item, decision),
    command: async (command, by) => (await starting).command(command, by),
  };
}

/** The result may be asked for when the run waits already: then nothing happens any more that would let it go. */
async function letGoOfWaiting(starting: Promise<WorkflowRun>, audience: Audience): Promise<void> {
  // What goes wrong at the start rejects the result.
  const run = await starting.catch(() => undefined);
  if (run === undefined) return;
  // Whoever asks for the result in passing looks at the run in the same breath.
  await new Promise<void>((resolve) => setImmediate(resolve));
  if (audience.isMissing() && isWaitingForPerson(run.state)) await run.suspend(WAITING_EXIT_CODE);
}

function eventsOf(starting: Promise<WorkflowRun>, audience: Audience): AsyncIterable<JournalEvent> {
  return {
    [Symbol.asyncIterator]: () => {
      audience.attend();
      return eventsWhenStarted(starting);
    },
  };
}

async function* eventsWhenStarted(starting: Promise<WorkflowRun>): AsyncGenerator<JournalEvent> {
  yield* (await starting).events;
}

/** The id of a run whose handle is wanted before its machine is there: one that no run of the project has. */
export function newRunIdFor(
  options: Pick<WorkflowOptions, "troupe" | "cwd" | "env" | "store">,
  random: Random = secureRandom,
): string {
  if (options.troupe !== undefined) return options.troupe.newRunId();
  const runs = options.store === "memory" ? undefined : runsDirectoryOf(options);
  return freeShortId("run", random, (id) => runs !== undefined && existsSync(join(runs, id)));
}

function runsDirectoryOf({
  cwd = process.cwd(),
  env = process.env,
}: Pick<WorkflowOptions, "cwd" | "env">): string | undefined {
  try {
    return findProject(cwd, env).runsDirectory;
  } catch (error) {
    // Whoever starts the run says so.
    if (error instanceof TroupeError) return undefined;
    throw error;
  }
}
