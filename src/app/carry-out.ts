import { join } from "node:path";
import type { AgentFunction } from "../agents/backends/function/agent-function.ts";
import { createBackend } from "../agents/backends/registry.ts";
import { parseCassette } from "../agents/backends/script/load-cassette.ts";
import type { SpawnLimits } from "../agents/spawn-limits.ts";
import type { AgentBackend, TurnUpdate } from "../contracts/backend.ts";
import type { PatternDefinition } from "../contracts/definition.ts";
import type { RunCreated } from "../contracts/events/run-events.ts";
import type { Program } from "../contracts/program.ts";
import type { RunLimits } from "../contracts/run.ts";
import type { Journal } from "../contracts/store.ts";
import { type ControlServer, startControlServer } from "../control/server.ts";
import { takeOwnership } from "../engine/embedded/ownership.ts";
import type { Ownership } from "../engine/ports.ts";
import { toJson } from "../foundation/json.ts";
import { createSecretMasker } from "../foundation/secret-masker.ts";
import { secretValues } from "../host/environment.ts";
import { createHost, type ProcessHost } from "../host/host.ts";
import { toWorkflowResult } from "../programs/patterns/workflow-result.ts";
import { channelNameOf } from "../programs/primitives/channel-name.ts";
import type { ApprovalMode } from "./approval-mode.ts";
import { EventFeed } from "./event-feed.ts";
import { callHooks, type RunHooks } from "./hooks.ts";
import type { Machine } from "./machine.ts";
import { runPattern } from "./pattern-program.ts";
import { preflight } from "./preflight.ts";
import { controlSocketPath } from "./project.ts";
import { type OwnedRun, ownRun } from "./run-owner.ts";
import type { RunRecipe } from "./run-recipe.ts";
import { createWorkflowRun, type WorkflowRun } from "./workflow-run.ts";

/** How this process carries a run out; nothing of it is stored. */
export interface CarryOutOptions extends RunHooks {
  /** Defaults to `ask`. */
  readonly approvals?: ApprovalMode;
  /** Let go of the run as soon as only people can move it on. Defaults to false. */
  readonly suspendsWhenWaiting?: boolean;
  /** Functions of agents with `backend: function`, by agent id. */
  readonly functions?: ReadonlyMap<string, AgentFunction>;
  /** Turns at the same time on one backend. Defaults to 64. */
  readonly maxTurnsPerBackend?: number;
  readonly spawnLimits?: SpawnLimits;
  /** Sees what agents say while they say it, before it is durable. */
  readonly onUpdate?: (agent: string, update: TurnUpdate) => void;
}

/** A run whose journal is open for writing. */
export interface RunToCarryOut {
  readonly journal: Journal;
  readonly recipe: RunRecipe;
  readonly program: Program<PatternDefinition>;
  readonly created?: { readonly event: RunCreated; readonly definitionText: string };
  readonly limits?: RunLimits;
}

const MAX_TURNS_PER_BACKEND = 64;

/**
 * Takes a run, checks that its agents can run here, and carries it out. Raises ENGINE_RUN_OWNED,
 * BACKEND_PREFLIGHT_FAILED, RUN_SOCKET_UNUSABLE, STORE_* errors; then nothing was started.
 */
export async function carryOut(
  machine: Machine,
  run: RunToCarryOut,
  options: CarryOutOptions,
): Promise<WorkflowRun> {
  const { journal, recipe } = run;
  const host = createRunHost(machine, journal.run);
  const backend = createBackends(machine, { host, recipe, options });
  let ownership: Ownership | undefined;
  let server: ControlServer | undefined;
  let owned: OwnedRun | undefined;
  const close = async () => {
    await server?.close();
    await host.close();
    journal.close();
  };
  try {
    await preflight(recipe.definition, backend);
    const socketPath = controlSocketPath(machine.project, journal.run, machine.env);
    ownership = await own(machine, journal, socketPath);
    if (machine.keepsFiles) {
      server = await startControlServer(socketPath, async (request) => {
        if (owned === undefined) throw new Error("the run is still starting");
        return owned.command(request.command, request.by);
      });
    }
    const feed = new EventFeed();
    owned = start(machine, run, { host, backend, ownership, feed, options });
    return createWorkflowRun({
      id: journal.run,
      owned,
      feed,
      close,
      newKey: () => machine.newId("cmd"),
    });
  } catch (error) {
    ownership?.release();
    await close();
    throw error;
  }
}

function createRunHost(machine: Machine, run: string): ProcessHost {
  const masker = createSecretMasker(secretValues(machine.env, []));
  return createHost({ run, clock: machine.clock, env: machine.env, masker });
}

interface BackendParts {
  readonly host: ProcessHost;
  readonly recipe: RunRecipe;
  readonly options: CarryOutOptions;
}

function createBackends(
  machine: Machine,
  { host, recipe, options }: BackendParts,
): (name: string) => AgentBackend {
  const { cassette } = recipe;
  const dependencies = {
    host,
    clock: machine.clock,
    functions: options.functions ?? new Map<string, AgentFunction>(),
    importModule: (path: string): Promise<unknown> => import(path),
    ...(cassette === undefined ? {} : { cassette: parseCassette(cassette.source, cassette.file) }),
  };
  const made = new Map<string, AgentBackend>();
  return (name) => {
    const backend = made.get(name) ?? createBackend(name, dependencies);
    made.set(name, backend);
    return backend;
  };
}

function own(machine: Machine, journal: Journal, socketPath: string): Promise<Ownership> {
  const { pid, startedAt, bootId } = machine.identity;
  const claim = { pid, pidStartedAt: startedAt, bootId, socketPath, command: machine.command };
  return takeOwnership({ journal, claim, timers: machine.clock, table: machine.table });
}

interface StartParts {
  readonly host: ProcessHost;
  readonly backend: (name: string) => AgentBackend;
  readonly ownership: Ownership;
  readonly feed: EventFeed;
  readonly options: CarryOutOptions;
}

function start(machine: Machine, run: RunToCarryOut, parts: StartParts): OwnedRun {
  const { journal, recipe, program, created, limits } = run;
  const { host, backend, ownership, feed, options } = parts;
  const { definition } = recipe;
  const owned: OwnedRun = ownRun({
    journal,
    ownership,
    timers: machine.clock,
    host,
    backend,
    program,
    definition,
    toResult: (state, result) =>
      toJson(toWorkflowResult(state, definition, result), "the result of a run"),
    mainChannel: channelNameOf(definition.channel, journal.run),
    stepTotal: definition.steps.length,
    ...(created === undefined ? {} : { created }),
    ...(limits === undefined ? {} : { limits }),
    spawnLimits: options.spawnLimits ?? {},
    maxTurnsPerBackend: options.maxTurnsPerBackend ?? MAX_TURNS_PER_BACKEND,
    approvals: options.approvals ?? "ask",
    suspendsWhenWaiting: options.suspendsWhenWaiting ?? false,
    ...(machine.keepsFiles
      ? { logsDirectory: join(machine.project.runsDirectory, journal.run, "logs") }
      : {}),
    runPattern,
    onCommitted: (events) => {
      feed.push(events);
      callHooks(options, events, owned.state);
    },
    ...(options.onUpdate === undefined ? {} : { onUpdate: options.onUpdate }),
  });
  return owned;
}
