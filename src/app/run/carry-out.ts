import { join } from "node:path";
import type { BackendShelf } from "../../contracts/backend.ts";
import { trajectorySpecOf, type WorkflowDefinition } from "../../contracts/definition.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Ownership } from "../../engine/ports.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { cleanUpAll } from "../../foundation/clean-up-all.ts";
import { lookUpBackend } from "../machine/backends/backend-state.ts";
import { permissionPolicy, waitBounds } from "../machine/config/agent-policy.ts";
import { agentSurroundings } from "../machine/effective/agent-surroundings.ts";
import { agentTrust } from "../machine/effective/agent-trust.ts";
import { configOf, untrustedBackends } from "../machine/effective/effective-config.ts";
import type { Machine } from "../machine/machine.ts";
import { createPricing } from "../machine/prices/pricing.ts";
import type { RunTrail } from "../trail/run-trail.ts";
import { createAgentTypeFinder } from "../workflow/agent-types.ts";
import { definitionsIn } from "../workflow/child-workflows.ts";
import { shapeOf } from "../workflow/shapes/registry.ts";
import { withoutFiles, withRoot } from "../workflow/shapes/shape.ts";
import type { serveChildRuns } from "./children/child-runs.ts";
import type { CarryOutOptions, RunToCarryOut } from "./owner/carry-out-options.ts";
import { checkPlaces } from "./owner/check-places.ts";
import { createChildKinds } from "./owner/child-kinds.ts";
import { EventFeed } from "./owner/event-feed.ts";
import { callHooks, isTranscribed } from "./owner/hooks.ts";
import { eventMask } from "./owner/mask-event.ts";
import { preflight } from "./owner/preflight.ts";
import { type OwnedAgents, type OwnedRun, type OwnedWork, ownRun } from "./owner/run-owner.ts";
import { createRunTree, type RunTree, type TreeMember } from "./owner/run-tree.ts";
import type { TranscriptFiles } from "./owner/transcript-files.ts";
import { createWorkflowRun, type WorkflowRun } from "./owner/workflow-run.ts";
import { backendsOf, type Undertaking, undertake } from "./undertaking.ts";

/** Turns at the same time on a backend, unless a workflow asks for more. */
const MOST_TURNS_PER_BACKEND = 64;

/**
 * Takes a run, checks that its agents can run here, and carries it out. What the options leave open, the
 * configuration decides. Raises CONFIG_INVALID, ENGINE_RUN_OWNED, BACKEND_PREFLIGHT_FAILED,
 * WORKFLOW_INSTANCE_RUNNING, WORKFLOW_NAME_TAKEN, RUN_SOCKET_UNUSABLE, TRAIL_DIRECTORY_OUTSIDE, STORE_* errors; then
 * nothing was started.
 */
export async function carryOut(
  machine: Machine,
  run: RunToCarryOut,
  options: CarryOutOptions,
): Promise<WorkflowRun> {
  const undertaking = await undertake(machine, run, options);
  const { hold, setup } = undertaking;
  const { journal, identity, place } = run;
  try {
    const backends = await backendsOf(undertaking);
    // What the first run of a tree starts with holds for all runs below it.
    if (place === undefined) await checkAgents(undertaking, backends);
    const trail = await trailOf(undertaking);
    const ownership = await hold.take();
    trail?.expect();
    if (setup.isExclusive) await hold.claimInstance(identity);
    for (const claim of undertaking.work.claims) await hold.claimName(claim);
    const tree = place?.tree ?? (await treeOf(undertaking));
    const feed = new EventFeed();
    const transcripts = transcriptWriter(undertaking);
    const serveChildren = await childServer(undertaking);
    const parts = { backends, ownership, tree, feed, transcripts, trail, serveChildren };
    const owned = start(undertaking, parts);
    await hold.listen((request) => owned.command(request.command, request.by));
    const newKey = () => machine.newKey();
    const close = () =>
      closeAll([
        () => tree.leave(journal.run),
        () => transcripts.written(),
        () => hold.close(),
        () => trail?.keep(),
      ]);
    return createWorkflowRun({ id: journal.run, owned, feed, close, newKey });
  } catch (error) {
    await closeAll([() => hold.close()]);
    throw error;
  }
}

/** Ends what belongs to this process. What fails is a warning: the outcome of the run is recorded already. */
async function closeAll(parts: readonly (() => unknown)[]): Promise<void> {
  try {
    await cleanUpAll(parts);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.emitWarning(`something of a run was not cleaned up: ${reason}`, "TroupeWarning");
  }
}

/** What leaves a trajectory of the run; most runs leave none. */
async function trailOf({ machine, run }: Undertaking): Promise<RunTrail | undefined> {
  const trajectory = trajectorySpecOf(run.recipe.definition);
  if (trajectory === undefined || !machine.keepsFiles) return undefined;
  const { createRunTrail } = await import("../trail/run-trail.ts");
  return createRunTrail(machine, run.journal.run, trajectory);
}

/** Checks the agents of the run and of all runs that it may start. Raises BACKEND_PREFLIGHT_FAILED. */
async function checkAgents(
  { machine, run, options, settings, host }: Undertaking,
  backends: BackendShelf,
): Promise<void> {
  const { env, project } = machine;
  const untrusted = untrustedBackends(await configOf(machine));
  const own = options.code?.backends;
  const surroundings = { env, cwd: project.cwd, settings, untrusted, own };
  const lookUp = (name: string) => lookUpBackend(name, surroundings);
  const file = run.beginning.created?.event.file;
  const pricing = createPricing(settings, options.prices);
  const place = checkPlaces(machine, host, {
    run: run.journal.run,
    isNew: run.beginning.created !== undefined,
    isUnsandboxed: options.unsandboxed ?? false,
  });
  for (const definition of definitionsIn(run.recipe.definition)) {
    const limits = { budget: { ...definition.budget, ...run.budget }, pricing };
    await preflight(definition, { backend: backends.load, place, lookUp, limits, file });
  }
}

async function treeOf({ machine, run, options, settings, hold }: Undertaking): Promise<RunTree> {
  const { limits = {} } = settings;
  return createRunTree({
    turnsAtOnce: options.maxTurnsPerBackend ?? (await turnsAtOnce(run.recipe.definition)),
    hostSlots: hold.shareSlots(options.hostConcurrency ?? limits.hostConcurrency),
    accounts: {
      ledger: () => hold.accounts(),
      clock: machine.clock,
      places: options.accountConcurrency ?? limits.accountConcurrency ?? Infinity,
      newId: () => machine.newKey(),
    },
  });
}

/** As many as one of the workflows asks for, if that is more than is usual. */
async function turnsAtOnce(definition: WorkflowDefinition): Promise<number> {
  const asked = await Promise.all(
    definitionsIn(definition).map(async (each) => (await shapeOf(each)).limits(each)),
  );
  return Math.max(MOST_TURNS_PER_BACKEND, ...asked.map((each) => each.maxConcurrency ?? 0));
}

/** Most runs have none below them. */
async function childServer({ work }: Undertaking): Promise<typeof serveChildRuns | undefined> {
  if (!work.hasChildren) return undefined;
  return (await import("./children/child-runs.ts")).serveChildRuns;
}

/** Who writes the transcripts of a run. */
interface TranscriptWriter {
  take(events: readonly JournalEvent[], state: RunState): void;
  /** Resolves once all that was taken is written. */
  written(): Promise<void>;
}

/** Most runs have none: what writes them is loaded for the first event that a transcript tells. */
function transcriptWriter({ machine, run: { journal } }: Undertaking): TranscriptWriter {
  let files: TranscriptFiles | undefined;
  let loading: Promise<void> | undefined;
  const load = async () => {
    const { TranscriptFiles } = await import("./owner/transcript-files.ts");
    const directory = join(machine.project.runsDirectory, journal.run);
    files = new TranscriptFiles({ run: journal.run, directory, journal });
    // What came meanwhile is in the journal, where it begins.
    files.take([]);
  };
  return {
    take: (events, state) => {
      if (files !== undefined) files.take(events);
      else if (machine.keepsFiles && events.some((event) => isTranscribed(event, state)))
        loading ??= load();
    },
    written: async () => loading,
  };
}

interface StartParts {
  readonly backends: BackendShelf;
  readonly ownership: Ownership;
  readonly tree: RunTree;
  readonly feed: EventFeed;
  readonly transcripts: TranscriptWriter;
  readonly trail: RunTrail | undefined;
  readonly serveChildren: typeof serveChildRuns | undefined;
}

function start(undertaking: Undertaking, parts: StartParts): OwnedRun {
  const { machine, run, options, masker } = undertaking;
  const { journal, beginning } = run;
  const { ownership, feed, transcripts, trail } = parts;
  const owned: OwnedRun = ownRun({
    journal,
    mask: eventMask(masker),
    ownership,
    timers: machine.clock,
    beginning,
    work: workOf(undertaking),
    agents: agentsOf(undertaking, parts),
    people: {
      approvals: options.approvals ?? "ask",
      retriesPaused: options.retriesPaused ?? true,
      suspendsWhenWaiting: options.suspendsWhenWaiting ?? false,
    },
    prepare: (member) => joinTree(undertaking, parts, member),
    onCommitted: (events) => {
      feed.push(events);
      transcripts.take(events, owned.state);
      trail?.take(events);
      callHooks(options, events, { state: owned.state, journal });
    },
  });
  return owned;
}

function workOf({
  machine,
  run: { program, recipe, journal },
  options,
  setup,
  work: { runPattern, toResult, isStanding },
  mirror,
  host,
}: Undertaking): OwnedWork<WorkflowDefinition> {
  const { definition } = recipe;
  const spec = trajectorySpecOf(definition);
  const lessons = async (task: string) => {
    if (spec?.learnFrom !== true) return [];
    const { lessonsFor } = await import("../trail/lessons.ts");
    return lessonsFor(machine, { run: journal.run, spec }, task);
  };
  return {
    call: {
      ...{ program, definition, host, runPattern, lessons },
      reflecting: options,
      functions: options.patternFunctions,
    },
    toResult,
    setup: machine.keepsFiles ? withRoot(setup, machine.project) : withoutFiles(setup),
    isStanding,
    mirror,
  };
}

function agentsOf(undertaking: Undertaking, { backends, tree }: StartParts): OwnedAgents {
  const { machine, run, options, settings, setup, masker, host, hold, day } = undertaking;
  const { project, keepsFiles } = machine;
  const { journal, place, recipe } = run;
  return {
    means: {
      slots: tree.slotsOf,
      governor: tree.governor,
      contextDoor: hold.contextDoor(() => masker.arm()),
      permissions: permissionPolicy(settings),
      trustsProject: agentTrust(machine, settings, options.code?.backends),
      onUpdate: options.onUpdate,
    },
    spawning: {
      backends,
      limits: options.spawnLimits ?? settings.limits ?? {},
      others: () => tree.agentsBeside(journal.run),
    },
    spending: { pricing: createPricing(settings, options.prices), above: place?.above, day },
    spawnable: {
      kinds: createChildKinds(recipe.definition, createAgentTypeFinder(machine), settings.roles),
      waits: waitBounds(settings),
    },
    surroundings: agentSurroundings(machine, {
      run: journal.run,
      repositories: host.repositories,
      contextFiles: setup.contextFiles,
      trajectories: undertaking.trajectories,
      isUnsandboxed: options.unsandboxed ?? false,
      sandbox: settings.sandbox,
    }),
    directory: keepsFiles ? join(project.runsDirectory, journal.run) : undefined,
  };
}

/** Lets those take part who look after the run, the runs around it and those below it. */
function joinTree(
  { machine, run, options, hold, shortage }: Undertaking,
  { tree, serveChildren }: StartParts,
  member: TreeMember,
): void {
  const { journal, recipe, place, childLimits } = run;
  const { runtime, budget, suspend } = member;
  hold.refusals.follow(runtime);
  shortage.follow(runtime);
  tree.join(journal.run, runtime.state);
  place?.watch(member);
  const told = { ...options, suspendsWhenWaiting: false, onUpdate: undefined };
  serveChildren?.({
    ...{ machine, runtime, budget, suspend, recipe, tree, childLimits },
    depth: place?.depth ?? 0,
    code: options.code,
    carryOut: (child) => carryOut(machine, child, told),
  });
}
