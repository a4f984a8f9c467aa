import { join } from "node:path";
import type { AgentFunction } from "../agents/backends/function/agent-function.ts";
import { createBackend } from "../agents/backends/registry.ts";
import { parseCassette } from "../agents/backends/script/load-cassette.ts";
import { createRateGovernor, type RateGovernor } from "../agents/governor/rate-governor.ts";
import type { SpawnLimits } from "../agents/spawn-limits.ts";
import type { AgentBackend, TurnUpdate } from "../contracts/backend.ts";
import type { Budget } from "../contracts/budget.ts";
import type { ContextDoor } from "../contracts/context-access.ts";
import type { WorkflowDefinition } from "../contracts/definition.ts";
import type { RunCreated } from "../contracts/events/run-events.ts";
import type { PriceTable } from "../contracts/price.ts";
import type { Program } from "../contracts/program.ts";
import type { RunLimits } from "../contracts/run.ts";
import type { Journal } from "../contracts/store.ts";
import type { Ownership } from "../engine/ports.ts";
import { createContextTokenMasker } from "../foundation/context-token.ts";
import type { SecretMasker } from "../foundation/secret-masker.ts";
import type { Semaphore } from "../foundation/semaphore.ts";
import { createHost, type ProcessHost } from "../host/host.ts";
import { agentSurroundings } from "./agent-surroundings.ts";
import type { ApprovalMode } from "./approval-mode.ts";
import { checkPlaces } from "./check-places.ts";
import type { ConfigSettings } from "./config/config-settings.ts";
import { configuredBackend } from "./config/configured-backend.ts";
import { configOf, maskerOf } from "./config/effective-config.ts";
import { permissionPolicy } from "./config/permission-policy.ts";
import { lookUpBackend } from "./doctor/backend-state.ts";
import { EventFeed } from "./event-feed.ts";
import { callHooks, type RunHooks } from "./hooks.ts";
import type { Machine } from "./machine.ts";
import { eventMask } from "./mask-event.ts";
import { runPattern } from "./pattern-program.ts";
import { preflight } from "./preflight.ts";
import { createPricing } from "./prices/pricing.ts";
import { RunHold } from "./run-hold.ts";
import { type OwnedRun, ownRun } from "./run-owner.ts";
import type { RunRecipe } from "./run-recipe.ts";
import { shapeOf } from "./shapes/registry.ts";
import { type RunIdentity, withoutFiles, withRoot } from "./shapes/shape.ts";
import { agentTrust } from "./trust/agent-trust.ts";
import { createWorkflowRun, type WorkflowRun } from "./workflow-run.ts";

/** How this process carries a run out; nothing of it is stored. */
export interface CarryOutOptions extends RunHooks {
  /** Defaults to `ask`. */
  readonly approvals?: ApprovalMode;
  /** Whether steps that failed and wait for a person are tried again at resume. Defaults to true. */
  readonly retriesPaused?: boolean;
  /** Let go of the run as soon as only people can move it on. Defaults to false. */
  readonly suspendsWhenWaiting?: boolean;
  /** Functions of agents with `backend: function`, by agent id. */
  readonly functions?: ReadonlyMap<string, AgentFunction>;
  /** Turns at the same time on one backend. Defaults to 64. */
  readonly maxTurnsPerBackend?: number;
  /** Turns at the same time of all runs of this user on this machine. Defaults to any number. */
  readonly hostConcurrency?: number;
  /** Turns at the same time on one account of a provider, of all runs of this user. Defaults to any number. */
  readonly accountConcurrency?: number;
  readonly spawnLimits?: SpawnLimits;
  /** Starts agents with `isolation: sandbox` without it; the journal says so. Defaults to false. */
  readonly unsandboxed?: boolean;
  /**
   * What models cost, for backends that tell tokens only, in place of what the configuration says. List prices
   * fill the gaps.
   */
  readonly prices?: PriceTable;
  /** Sees what agents say while they say it, before it is durable. */
  readonly onUpdate?: (agent: string, update: TurnUpdate, turn: number) => void;
}

/** A run whose journal is open for writing. */
export interface RunToCarryOut {
  readonly journal: Journal;
  readonly recipe: RunRecipe;
  readonly program: Program<WorkflowDefinition>;
  /** Defaults to what `created` says. */
  readonly identity?: RunIdentity;
  readonly created?: { readonly event: RunCreated; readonly definitionText: string };
  /** Limits that replace the recorded ones from here on. */
  readonly limits?: RunLimits;
  /** The budget of the run, recorded or new. */
  readonly budget?: Budget;
}

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
  const { journal, recipe } = run;
  const { settings } = await configOf(machine);
  const masker = createContextTokenMasker(await maskerOf(machine));
  const { clock, env } = machine;
  const allowEnv = settings.env?.allow ?? [];
  const host = createHost({ run: journal.run, clock, env, allowEnv, masker });
  const hold = new RunHold(machine, journal, host);
  try {
    const backend = createBackends(machine, { host, recipe, options, settings });
    const { cwd } = machine.project;
    const lookUp = (name: string) => lookUpBackend(name, { env, cwd, settings });
    const file = run.created?.event.file;
    const named = file === undefined ? {} : { file };
    const limits = { budget: run.budget, pricing: createPricing(settings, options.prices) };
    const place = checkPlaces(machine, host, options.unsandboxed ?? false);
    await preflight(recipe.definition, { backend, place, lookUp, limits, ...named });
    const ownership = await hold.take();
    const identity = identityOf(run);
    const { isExclusive } = shapeOf(recipe.definition).setup(recipe.definition, identity);
    if (isExclusive) hold.claimInstance(identity);
    const hostSlots = hold.shareSlots(options.hostConcurrency ?? settings.limits?.hostConcurrency);
    const feed = new EventFeed();
    const owned = start(machine, run, {
      host,
      backend,
      ownership,
      contextDoor: hold.contextDoor(() => masker.arm()),
      hostSlots,
      governor: createRateGovernor({
        ledger: () => hold.accounts(),
        clock,
        random: Math.random,
        places: options.accountConcurrency ?? settings.limits?.accountConcurrency ?? Infinity,
        newId: () => machine.newId("turn"),
      }),
      feed,
      options,
      settings,
      masker,
    });
    await hold.listen((request) => owned.command(request.command, request.by));
    const newKey = () => machine.newId("cmd");
    return createWorkflowRun({ id: journal.run, owned, feed, close: () => hold.close(), newKey });
  } catch (error) {
    await hold.close();
    throw error;
  }
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
  readonly hostSlots: Semaphore | undefined;
  readonly governor: RateGovernor;
  readonly masker: SecretMasker;
  readonly feed: EventFeed;
  readonly options: CarryOutOptions;
  readonly settings: ConfigSettings;
}

function start(machine: Machine, run: RunToCarryOut, parts: StartParts): OwnedRun {
  const { journal, recipe, program, created, limits } = run;
  const { host, backend, ownership, contextDoor, hostSlots, feed, options, settings } = parts;
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
    pricing: createPricing(settings, options.prices),
    ...permissionPolicy(settings),
    trustsProject: agentTrust(machine, settings),
    ...(hostSlots === undefined ? {} : { hostSlots }),
    governor: parts.governor,
    mask: eventMask(parts.masker),
    ...(contextDoor === undefined ? {} : { contextDoor }),
    surroundings: agentSurroundings(machine, {
      run: journal.run,
      ...(setup.contextFiles === undefined ? {} : { contextFiles: setup.contextFiles }),
      isUnsandboxed: options.unsandboxed ?? false,
    }),
    maxTurnsPerBackend: options.maxTurnsPerBackend ?? MAX_TURNS_PER_BACKEND,
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
