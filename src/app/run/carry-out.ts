import { existsSync } from "node:fs";
import { join } from "node:path";
import { createBackend } from "../../agents/backends/registry.ts";
import type { Cassette } from "../../agents/backends/script/cassette-schema.ts";
import { createRateGovernor } from "../../agents/governor/rate-governor.ts";
import type { AgentFunction } from "../../contracts/agent-function.ts";
import type { AgentBackend } from "../../contracts/backend.ts";
import type { WorkflowDefinition } from "../../contracts/definition.ts";
import type { Ownership } from "../../engine/ports.ts";
import {
  type ContextTokenMasker,
  createContextTokenMasker,
} from "../../foundation/context-token.ts";
import { bothOf, createSemaphore } from "../../foundation/semaphore.ts";
import { createHost, type GitOptions, type ProcessHost } from "../../host/host.ts";
import { lookUpBackend } from "../machine/backends/backend-state.ts";
import { configuredBackend } from "../machine/backends/configured-backend.ts";
import type { ConfigSettings } from "../machine/config/config-settings.ts";
import { permissionPolicy } from "../machine/config/permission-policy.ts";
import { resourceLimits } from "../machine/config/resource-limits.ts";
import { waitBounds } from "../machine/config/wait-bounds.ts";
import { agentSurroundings, ownFilesOf } from "../machine/effective/agent-surroundings.ts";
import { agentTrust } from "../machine/effective/agent-trust.ts";
import { configOf, maskerOf, untrustedBackends } from "../machine/effective/effective-config.ts";
import { filterTrust } from "../machine/effective/git-filters.ts";
import type { Machine } from "../machine/machine.ts";
import type { Project } from "../machine/place/project.ts";
import { createPricing } from "../machine/prices/pricing.ts";
import { createAgentTypeFinder } from "../workflow/agent-types.ts";
import { openEnvironments } from "../workflow/sealed-environment.ts";
import { createPatternRunner, type RunPattern } from "../workflow/shapes/pattern-program.ts";
import { shapeOf } from "../workflow/shapes/registry.ts";
import { type RunSetup, type ToResult, withoutFiles, withRoot } from "../workflow/shapes/shape.ts";
import { definitionsIn } from "./children/child-input.ts";
import type { serveChildRuns } from "./children/child-runs.ts";
import type { CarryOutOptions, RunToCarryOut } from "./owner/carry-out-options.ts";
import { checkPlaces } from "./owner/check-places.ts";
import { createChildKinds } from "./owner/child-kinds.ts";
import { EventFeed } from "./owner/event-feed.ts";
import { callHooks } from "./owner/hooks.ts";
import { eventMask } from "./owner/mask-event.ts";
import { preflight } from "./owner/preflight.ts";
import { RunHold } from "./owner/run-hold.ts";
import { type OwnedAgents, type OwnedRun, type OwnedWork, ownRun } from "./owner/run-owner.ts";
import { RunTree, type TreeMember } from "./owner/run-tree.ts";
import { createShortageNote, type ShortageNote } from "./owner/shortage-note.ts";
import { createWorkflowRun, type WorkflowRun } from "./owner/workflow-run.ts";

/** Turns at the same time on a backend, unless a workflow asks for more. */
const MOST_TURNS_PER_BACKEND = 64;

/** A run that is to be carried out, and what this process has for it. */
interface Undertaking {
  readonly machine: Machine;
  readonly run: RunToCarryOut;
  readonly options: CarryOutOptions;
  readonly settings: ConfigSettings;
  readonly setup: RunSetup;
  readonly work: ShapedWork;
  readonly mirror: OwnedWork<never>["mirror"];
  readonly masker: ContextTokenMasker;
  readonly shortage: ShortageNote;
  readonly host: ProcessHost;
  readonly hold: RunHold;
}

/** What the shape of the workflow adds to its program, loaded. */
interface ShapedWork {
  readonly runPattern: RunPattern;
  readonly toResult: ToResult;
  readonly isStanding: boolean;
  /** Undefined where no program of the shape asks for runs below its own. */
  readonly serveChildren: typeof serveChildRuns | undefined;
}

type FindBackend = (name: string) => AgentBackend;

/**
 * Takes a run, checks that its agents can run here, and carries it out. What the options leave open, the
 * configuration decides. Raises CONFIG_INVALID, ENGINE_RUN_OWNED, BACKEND_PREFLIGHT_FAILED,
 * WORKFLOW_INSTANCE_RUNNING, RUN_SOCKET_UNUSABLE, STORE_* errors; then nothing was started.
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
    const backend = await createBackends(undertaking);
    // What the first run of a tree starts with holds for all runs below it.
    if (place === undefined) await checkAgents(undertaking, backend);
    const ownership = await hold.take();
    if (setup.isExclusive) hold.claimInstance(identity);
    const tree = place?.tree ?? (await createTree(undertaking));
    const feed = new EventFeed();
    const owned = start(undertaking, { backend, ownership, tree, feed });
    await hold.listen((request) => owned.command(request.command, request.by));
    const newKey = () => machine.newKey();
    const close = () => {
      tree.leave(journal.run);
      return hold.close();
    };
    return createWorkflowRun({ id: journal.run, owned, feed, close, newKey });
  } catch (error) {
    await hold.close();
    throw error;
  }
}

async function undertake(
  machine: Machine,
  run: RunToCarryOut,
  options: CarryOutOptions,
): Promise<Undertaking> {
  const { journal, recipe, identity } = run;
  const { definition } = recipe;
  const { settings, ceilings } = await configOf(machine);
  const sealed = await openEnvironments(journal.run, definition, machine.secrets);
  const masker = createContextTokenMasker(await maskerOf(machine, { definition, sealed }));
  const shape = await shapeOf(definition, options.code);
  const setup = shape.setup(definition, identity);
  const work = {
    runPattern: createPatternRunner(await shape.loadPatterns?.()),
    toResult: await shape.resultOf(definition),
    isStanding: shape.isStanding?.(definition) ?? false,
    serveChildren:
      shape.children === undefined
        ? undefined
        : (await import("./children/child-runs.ts")).serveChildRuns,
  };
  const mirror = machine.keepsFiles ? await mirrorFor(setup, machine.project) : undefined;
  const shortage = createShortageNote();
  const host = createHost({
    run: journal.run,
    onShortage: (bounds) => shortage.add(bounds),
    clock: machine.clock,
    env: machine.env,
    allowEnv: settings.env?.allow ?? [],
    sealed,
    masker,
    limits: resourceLimits(settings.limits?.agent),
    ceilings,
    git: gitOptions(machine, journal.run, setup),
  });
  const hold = new RunHold(machine, journal, host);
  return { machine, run, options, settings, setup, work, mirror, masker, shortage, host, hold };
}

/** What shows channel and documents in files; most runs have none. */
async function mirrorFor(setup: RunSetup, project: Project): Promise<OwnedWork<never>["mirror"]> {
  const { contextFiles: files, mainChannel } = withRoot(setup, project);
  if (files === undefined) return undefined;
  const { startMirrors } = await import("../../messaging/mirrors/start-mirrors.ts");
  return (runtime) => startMirrors({ runtime, files, mainChannel });
}

/** Checks the agents of the run and of all runs that it may start. Raises BACKEND_PREFLIGHT_FAILED. */
async function checkAgents(
  { machine, run, options, settings, host }: Undertaking,
  backend: FindBackend,
): Promise<void> {
  const { env, project } = machine;
  const untrusted = untrustedBackends(await configOf(machine));
  const own = options.code?.backends;
  const surroundings = { env, cwd: project.cwd, settings, untrusted, own };
  const lookUp = (name: string) => lookUpBackend(name, surroundings);
  const file = run.beginning.created?.event.file;
  const pricing = createPricing(settings, options.prices);
  const place = checkPlaces(machine, host, options.unsandboxed ?? false);
  for (const definition of definitionsIn(run.recipe.definition)) {
    const limits = { budget: { ...definition.budget, ...run.budget }, pricing };
    await preflight(definition, { backend, place, lookUp, limits, file });
  }
}

async function createTree({
  machine,
  run,
  options,
  settings,
  hold,
}: Undertaking): Promise<RunTree> {
  const { maxTurnsPerBackend = await turnsAtOnce(run.recipe.definition) } = options;
  const hostSlots = hold.shareSlots(options.hostConcurrency ?? settings.limits?.hostConcurrency);
  return new RunTree({
    createSlots: () => {
      const own = createSemaphore(maxTurnsPerBackend);
      return hostSlots === undefined ? own : bothOf(own, hostSlots);
    },
    governor: createRateGovernor({
      ledger: () => hold.accounts(),
      clock: machine.clock,
      random: Math.random,
      places: options.accountConcurrency ?? settings.limits?.accountConcurrency ?? Infinity,
      newId: () => machine.newKey(),
    }),
  });
}

/** As many as one of the workflows asks for, if that is more than is usual. */
async function turnsAtOnce(definition: WorkflowDefinition): Promise<number> {
  const asked = await Promise.all(
    definitionsIn(definition).map(async (each) => (await shapeOf(each)).limits(each)),
  );
  return Math.max(MOST_TURNS_PER_BACKEND, ...asked.map((each) => each.maxConcurrency ?? 0));
}

/** What git is not to take for work, and where it remembers what it has seen of the run. */
function gitOptions(machine: Machine, run: string, { contextFiles }: RunSetup): GitOptions {
  const { project, keepsFiles } = machine;
  const ownFiles = ownFilesOf(project, contextFiles);
  const directory = join(project.runsDirectory, run);
  const git = { ownFiles, trustsFilter: filterTrust(machine) };
  return keepsFiles && existsSync(directory) ? { ...git, directory } : git;
}

async function createBackends({
  machine,
  run,
  options,
  settings,
  host,
}: Undertaking): Promise<FindBackend> {
  const dependencies = {
    host,
    clock: machine.clock,
    functions: options.functions ?? new Map<string, AgentFunction>(),
    importModule: (path: string): Promise<unknown> => import(path),
    settings: settings.backends,
    own: options.code?.backends,
    cassette: await cassetteOf(run),
  };
  const made = new Map<string, AgentBackend>();
  return (name) => {
    const backend =
      made.get(name) ?? configuredBackend(createBackend(name, dependencies), settings);
    made.set(name, backend);
    return backend;
  };
}

async function cassetteOf({ recipe: { cassette } }: RunToCarryOut): Promise<Cassette | undefined> {
  if (cassette === undefined) return undefined;
  const { parseCassette } = await import("../../agents/backends/script/load-cassette.ts");
  return parseCassette(cassette.source, cassette.file);
}

interface StartParts {
  readonly backend: FindBackend;
  readonly ownership: Ownership;
  readonly tree: RunTree;
  readonly feed: EventFeed;
}

function start(undertaking: Undertaking, parts: StartParts): OwnedRun {
  const { machine, run, options, masker } = undertaking;
  const { journal, beginning } = run;
  const { ownership, feed } = parts;
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
      callHooks(options, events, { state: owned.state, journal });
    },
  });
  return owned;
}

function workOf({
  machine,
  run: { program, recipe },
  setup,
  work: { runPattern, toResult, isStanding },
  mirror,
  host,
}: Undertaking): OwnedWork<WorkflowDefinition> {
  return {
    call: { program, definition: recipe.definition, host, runPattern },
    toResult,
    setup: machine.keepsFiles ? withRoot(setup, machine.project) : withoutFiles(setup),
    isStanding,
    mirror,
  };
}

function agentsOf(
  { machine, run, options, settings, setup, masker, host, hold }: Undertaking,
  { backend, tree }: StartParts,
): OwnedAgents {
  const { project, keepsFiles } = machine;
  const { journal, place, recipe } = run;
  return {
    means: {
      slots: tree.slotsOf,
      governor: tree.governor,
      contextDoor: hold.contextDoor(() => masker.arm()),
      permissions: permissionPolicy(settings),
      trustsProject: agentTrust(machine, settings),
      onUpdate: options.onUpdate,
    },
    spawning: {
      backend,
      limits: options.spawnLimits ?? settings.limits ?? {},
      others: () => tree.agentsBeside(journal.run),
    },
    spending: { pricing: createPricing(settings, options.prices), above: place?.above },
    spawnable: {
      kinds: createChildKinds(recipe.definition, createAgentTypeFinder(machine)),
      waits: waitBounds(settings),
    },
    surroundings: agentSurroundings(machine, {
      run: journal.run,
      repositories: host.repositories,
      contextFiles: setup.contextFiles,
      isUnsandboxed: options.unsandboxed ?? false,
      sandbox: settings.sandbox,
    }),
    directory: keepsFiles ? join(project.runsDirectory, journal.run) : undefined,
  };
}

/** Lets those take part who look after the run, the runs around it and those below it. */
function joinTree(
  { machine, run, options, work, hold, shortage }: Undertaking,
  { tree }: StartParts,
  member: TreeMember,
): void {
  const { journal, recipe, place, childLimits } = run;
  const { runtime, budget } = member;
  hold.refusals.follow(runtime);
  shortage.follow(runtime);
  tree.join(journal.run, runtime.state);
  place?.watch(member);
  const told = { ...options, suspendsWhenWaiting: false, onUpdate: undefined };
  work.serveChildren?.({
    ...{ machine, runtime, budget, recipe, tree, childLimits },
    depth: place?.depth ?? 0,
    code: options.code,
    carryOut: (child) => carryOut(machine, child, told),
  });
}
