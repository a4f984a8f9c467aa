import { existsSync } from "node:fs";
import { join } from "node:path";
import { createBackend } from "../../agents/backends/registry.ts";
import { parseCassette } from "../../agents/backends/script/load-cassette.ts";
import { createRateGovernor } from "../../agents/governor/rate-governor.ts";
import type { AgentFunction } from "../../contracts/agent-function.ts";
import type { AgentBackend } from "../../contracts/backend.ts";
import type { ContextDoor } from "../../contracts/context-access.ts";
import type { Ownership } from "../../engine/ports.ts";
import { createContextTokenMasker } from "../../foundation/context-token.ts";
import type { SecretMasker } from "../../foundation/secret-masker.ts";
import { bothOf, createSemaphore } from "../../foundation/semaphore.ts";
import { createHost, type GitOptions, type ProcessHost } from "../../host/host.ts";
import { lookUpBackend } from "../machine/backends/backend-state.ts";
import { configuredBackend } from "../machine/backends/configured-backend.ts";
import type { ConfigSettings } from "../machine/config/config-settings.ts";
import { permissionPolicy } from "../machine/config/permission-policy.ts";
import { resourceLimits } from "../machine/config/resource-limits.ts";
import { agentSurroundings, ownFilesOf } from "../machine/effective/agent-surroundings.ts";
import { agentTrust } from "../machine/effective/agent-trust.ts";
import { configOf, maskerOf, untrustedBackends } from "../machine/effective/effective-config.ts";
import { filterTrust } from "../machine/effective/git-filters.ts";
import type { Machine } from "../machine/machine.ts";
import { createPricing } from "../machine/prices/pricing.ts";
import { createAgentTypeFinder } from "../workflow/agent-types.ts";
import { openEnvironments } from "../workflow/sealed-environment.ts";
import { runPattern } from "../workflow/shapes/pattern-program.ts";
import { shapeOf } from "../workflow/shapes/registry.ts";
import type { RunRecipe } from "../workflow/shapes/run-recipe.ts";
import { type RunIdentity, withoutFiles, withRoot } from "../workflow/shapes/shape.ts";
import { definitionsIn } from "./children/child-input.ts";
import { serveChildRuns } from "./children/child-runs.ts";
import type { CarryOutOptions, RunToCarryOut } from "./owner/carry-out-options.ts";
import { checkPlaces } from "./owner/check-places.ts";
import { createChildKinds } from "./owner/child-kinds.ts";
import { EventFeed } from "./owner/event-feed.ts";
import { callHooks } from "./owner/hooks.ts";
import { eventMask } from "./owner/mask-event.ts";
import { preflight } from "./owner/preflight.ts";
import type { RefusalCount } from "./owner/refusal-count.ts";
import { RunHold } from "./owner/run-hold.ts";
import { type OwnedRun, ownRun } from "./owner/run-owner.ts";
import { RunTree } from "./owner/run-tree.ts";
import { createShortageNote, type ShortageNote } from "./owner/shortage-note.ts";
import { createWorkflowRun, type WorkflowRun } from "./owner/workflow-run.ts";

const MAX_TURNS_PER_BACKEND = 64;

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
  const { journal, recipe, place } = run;
  const { settings, ceilings } = await configOf(machine);
  const sealed = openEnvironments(journal.run, recipe.definition, machine.secrets);
  const masker = createContextTokenMasker(
    await maskerOf(machine, { definition: recipe.definition, sealed }),
  );
  const { clock, env } = machine;
  const allowEnv = settings.env?.allow ?? [];
  const limits = resourceLimits(settings.limits?.agent);
  const git = gitOptions(machine, run);
  const shortage = createShortageNote();
  const host = createHost({
    run: journal.run,
    onShortage: (bounds) => shortage.add(bounds),
    clock,
    env,
    allowEnv,
    sealed,
    masker,
    limits,
    ceilings,
    git,
  });
  const hold = new RunHold(machine, journal, host);
  try {
    const backend = createBackends(machine, { host, recipe, options, settings });
    // What the first run of a tree starts with holds for all runs below it.
    if (place === undefined) await checkAgents(machine, run, { host, backend, options, settings });
    const ownership = await hold.take();
    const identity = identityOf(run);
    const { isExclusive } = shapeOf(recipe.definition).setup(recipe.definition, identity);
    if (isExclusive) hold.claimInstance(identity);
    const tree = place?.tree ?? createTree(machine, { hold, options, settings });
    const feed = new EventFeed();
    const owned = start(machine, run, {
      host,
      backend,
      ownership,
      contextDoor: hold.contextDoor(() => masker.arm()),
      refusals: hold.refusals,
      shortage,
      tree,
      feed,
      options,
      settings,
      masker,
    });
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

interface CheckParts extends Omit<BackendParts, "recipe"> {
  readonly backend: (name: string) => AgentBackend;
}

/** Checks the agents of the run and of all runs that it may start. Raises BACKEND_PREFLIGHT_FAILED. */
async function checkAgents(
  machine: Machine,
  { recipe, budget, created }: RunToCarryOut,
  { host, backend, options, settings }: CheckParts,
): Promise<void> {
  const { env, project } = machine;
  const untrusted = untrustedBackends(await configOf(machine));
  const surroundings = { env, cwd: project.cwd, settings, untrusted };
  const lookUp = (name: string) => lookUpBackend(name, surroundings);
  const file = created?.event.file;
  const named = file === undefined ? {} : { file };
  const pricing = createPricing(settings, options.prices);
  const place = checkPlaces(machine, host, options.unsandboxed ?? false);
  for (const definition of definitionsIn(recipe.definition)) {
    const limits = { budget: { ...definition.budget, ...budget }, pricing };
    await preflight(definition, { backend, place, lookUp, limits, ...named });
  }
}

interface TreeParts {
  readonly hold: RunHold;
  readonly options: CarryOutOptions;
  readonly settings: ConfigSettings;
}

function createTree(machine: Machine, { hold, options, settings }: TreeParts): RunTree {
  const hostSlots = hold.shareSlots(options.hostConcurrency ?? settings.limits?.hostConcurrency);
  return new RunTree({
    createSlots: () => {
      const own = createSemaphore(options.maxTurnsPerBackend ?? MAX_TURNS_PER_BACKEND);
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

/** What git is not to take for work, and where it remembers what it has seen of the run. */
function gitOptions(machine: Machine, run: RunToCarryOut): GitOptions {
  const { project, keepsFiles } = machine;
  const { definition } = run.recipe;
  const { contextFiles } = shapeOf(definition).setup(definition, identityOf(run));
  const ownFiles = ownFilesOf(project, contextFiles);
  const directory = join(project.runsDirectory, run.journal.run);
  const git = { ownFiles, trustsFilter: filterTrust(machine) };
  return keepsFiles && existsSync(directory) ? { ...git, directory } : git;
}

function identityOf({ journal, identity, created }: RunToCarryOut): RunIdentity {
  if (identity !== undefined) return identity;
  if (created === undefined) throw new Error(`${journal.run} is resumed by nobody who knows it`);
  const { workflow, instance } = created.event;
  return { id: journal.run, workflow, instance };
}

interface BackendParts {
  readonly host: ProcessHost;
  readonly recipe: RunRecipe;
  readonly options: CarryOutOptions;
  readonly settings: ConfigSettings;
}

function createBackends(
  machine: Machine,
  { host, recipe, options, settings }: BackendParts,
): (name: string) => AgentBackend {
  const { cassette } = recipe;
  const dependencies = {
    host,
    clock: machine.clock,
    functions: options.functions ?? new Map<string, AgentFunction>(),
    importModule: (path: string): Promise<unknown> => import(path),
    ...(settings.backends === undefined ? {} : { settings: settings.backends }),
    ...(cassette === undefined ? {} : { cassette: parseCassette(cassette.source, cassette.file) }),
  };
  const made = new Map<string, AgentBackend>();
  return (name) => {
    const backend =
      made.get(name) ?? configuredBackend(createBackend(name, dependencies), settings);
    made.set(name, backend);
    return backend;
  };
}

interface StartParts {
  readonly host: ProcessHost;
  readonly backend: (name: string) => AgentBackend;
  readonly ownership: Ownership;
  readonly contextDoor: ContextDoor | undefined;
  readonly refusals: RefusalCount;
  readonly shortage: ShortageNote;
  readonly tree: RunTree;
  readonly masker: SecretMasker;
  readonly feed: EventFeed;
  readonly options: CarryOutOptions;
  readonly settings: ConfigSettings;
}

function start(machine: Machine, run: RunToCarryOut, parts: StartParts): OwnedRun {
  const { journal, recipe, program, created, limits, place } = run;
  const { host, backend, ownership, contextDoor, refusals, shortage, tree, feed } = parts;
  const { options, settings } = parts;
  const { definition } = recipe;
  const shape = shapeOf(definition);
  const setup = shape.setup(definition, identityOf(run));
  const owned: OwnedRun = ownRun({
    journal,
    ownership,
    timers: machine.clock,
    host,
    backend,
    program,
    definition,
    toResult: (state, result) => shape.toResult(state, definition, result),
    ...(machine.keepsFiles ? withRoot(setup, machine.project) : withoutFiles(setup)),
    isStanding: shape.isStanding?.(definition) ?? false,
    ...(created === undefined ? {} : { created }),
    ...(limits === undefined ? {} : { limits }),
    spawnLimits: options.spawnLimits ?? settings.limits ?? {},
    childKinds: createChildKinds(definition, createAgentTypeFinder(machine)),
    pricing: createPricing(settings, options.prices),
    ...permissionPolicy(settings),
    trustsProject: agentTrust(machine, settings),
    slots: tree.slotsOf,
    governor: tree.governor,
    agentsBeside: () => tree.agentsBeside(journal.run),
    ...(place === undefined ? {} : { budgetAbove: place.above }),
    prepare: (member) => {
      const { runtime, budget } = member;
      refusals.follow(runtime);
      shortage.follow(runtime);
      tree.join(journal.run, runtime.state);
      place?.watch(member);
      const { onUpdate: _, ...told } = { ...options, suspendsWhenWaiting: false };
      serveChildRuns({
        ...{ machine, runtime, budget, recipe, tree },
        depth: place?.depth ?? 0,
        code: options.code,
        childLimits: run.childLimits,
        carryOut: (child) => carryOut(machine, child, told),
      });
    },
    mask: eventMask(parts.masker),
    ...(contextDoor === undefined ? {} : { contextDoor }),
    surroundings: agentSurroundings(machine, {
      run: journal.run,
      repositories: host.repositories,
      ...(setup.contextFiles === undefined ? {} : { contextFiles: setup.contextFiles }),
      isUnsandboxed: options.unsandboxed ?? false,
      ...(settings.sandbox === undefined ? {} : { sandbox: settings.sandbox }),
    }),
    approvals: options.approvals ?? "ask",
    retriesPaused: options.retriesPaused ?? true,
    suspendsWhenWaiting: options.suspendsWhenWaiting ?? false,
    ...(machine.keepsFiles ? { directory: join(machine.project.runsDirectory, journal.run) } : {}),
    runPattern,
    onCommitted: (events) => {
      feed.push(events);
      callHooks(options, events, { state: owned.state, journal });
    },
    ...(options.onUpdate === undefined ? {} : { onUpdate: options.onUpdate }),
  });
  return owned;
}
