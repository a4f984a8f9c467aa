import { createScriptBackend } from "../../../agents/backends/script/script-backend.ts";
import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import type { JournalEvent } from "../../../contracts/events/event.ts";
import type { CommandRequest, CommandResult } from "../../../contracts/host.ts";
import type { BackendOptions } from "../../../contracts/own-backend.ts";
import { delay } from "../../../foundation/abort.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import { isJsonArray, isJsonObject, type Json, toJson } from "../../../foundation/json.ts";
import { type Random, seededRandom } from "../../../foundation/random.ts";
import { createHost, type HostOptions, type ProcessHost } from "../../../host/host.ts";
import type { Machine } from "../../machine/machine.ts";
import { shapeOf } from "../../workflow/shapes/registry.ts";
import { readRecipe } from "../../workflow/shapes/run-recipe.ts";
import { type CaseRequest, type LoadedTrial, loadTrial } from "../load-trial.ts";
import { type PlayedRun, playTrial } from "../play-trial.ts";
import { inDirectory } from "../run-case.ts";
import { turnsGiven } from "../run-evidence.ts";
import type { ScriptedDecision } from "../test-file-schema.ts";
import { improviseTurn, pick, type Temper } from "./improvise-turn.ts";
import { judgeRun, type SimulatedBounds } from "./judge-run.ts";

/** A workflow whose runs are simulated. */
export interface Simulation {
  /** What became of the run of a seed. */
  run(seed: number): Promise<SimulatedRun>;
}

/** One simulated run. */
export interface SimulatedRun {
  readonly seed: number;
  readonly outcome: PlayedRun["outcome"] | "endless";
  /** What must hold of every run and does not of this one. */
  readonly violations: readonly string[];
  readonly turns: number;
  /** On the clock of the simulation, in ms. */
  readonly virtualMs: number;
  readonly deaths: number;
  /** Absent when it did not end. */
  readonly played: PlayedRun | undefined;
}

const BACKEND = "simulated";
const WITHIN_MS = 30 * 86_400_000;
/** Shares of turns in which participants do what they are asked for. */
const OBEDIENCE = [1, 0.9, 0.7, 0.4, 0.1] as const;
const MOMENT_MS = 10;
const MOST_DECISIONS = 40;

/**
 * Prepares simulated runs of a workflow: all of its agents are replaced by participants that misbehave at random, its
 * commands are not run, people decide something, and its process dies now and then. Raises what loadTrial raises.
 */
export async function createSimulation(
  machine: Machine,
  request: CaseRequest,
): Promise<Simulation> {
  const loaded = await loadTrial(machine, request, {
    backend: BACKEND,
    backends: [participants({ seed: "", obedience: 1 })],
  });
  const definition = await withParticipants(loaded.definition);
  const bounds = await boundsOf(definition, loaded);
  return {
    run: (seed) =>
      inDirectory(machine, (cwd) =>
        simulate(machine, { ...loaded, definition, bounds, seed, cwd }),
      ),
  };
}

function participants(temper: Temper): BackendOptions {
  return {
    name: BACKEND,
    create: ({ host, clock }) => ({
      ...createScriptBackend({ host, clock, improvise: (turn) => improviseTurn(temper, turn) }),
      name: BACKEND,
    }),
  };
}

/** The keys of an agent that a participant has, too; programs, places and secrets it has none. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...["settings", "isolation", "cwd", "env", "sandbox", "model", "effort", "maxTurns"],
  ...["maxOutputTokens", "mcpServers", "autoApprovePlanMode"],
]);

/** The workflow with a participant in place of every agent, those of workflows in it included. */
async function withParticipants(definition: WorkflowDefinition): Promise<WorkflowDefinition> {
  const replaced = replaceAgents(toJson(definition, "the workflow"));
  const recipe = await readRecipe("the workflow", JSON.stringify({ definition: replaced }));
  return recipe.definition;
}

function replaceAgents(value: Json): Json {
  if (isJsonArray(value)) return value.map(replaceAgents);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value);
  if (typeof value["backend"] !== "string" || typeof value["id"] !== "string")
    return Object.fromEntries(members.map(([key, member]) => [key, replaceAgents(member)]));
  const kept = members.filter(([key]) => !LEFT_OUT.has(key));
  return { ...Object.fromEntries(kept), backend: BACKEND };
}

async function boundsOf(
  definition: WorkflowDefinition,
  { start }: LoadedTrial,
): Promise<SimulatedBounds> {
  const shape = await shapeOf(definition);
  const { turns, maxConcurrency } = await shape.limits(definition);
  return {
    turns: turns?.most ?? undefined,
    timeoutMs: start.timeoutMs ?? definition.timeoutMs,
    maxConcurrency: maxConcurrency ?? undefined,
  };
}

interface SimulatedPart extends LoadedTrial {
  readonly bounds: SimulatedBounds;
  readonly seed: number;
  readonly cwd: string;
}

async function simulate(
  machine: Machine,
  { definition, start, bounds, seed, cwd }: SimulatedPart,
): Promise<SimulatedRun> {
  const name = `${definition.name}/${seed}`;
  const random = seededRandom(name);
  const temper = { seed: name, obedience: pick(random, OBEDIENCE) };
  const trial = {
    ...{ cwd, outer: machine, definition },
    start: {
      ...start,
      id: `run_simulated${seed}`,
      seed: name,
      backends: [participants(temper)],
    },
    people: decisions(random),
    kills: deaths(random),
    withinMs: WITHIN_MS,
    momentMs: MOMENT_MS,
    createHost: (options: HostOptions) => createSimulatedHost(name, options),
  };
  try {
    const played = await playTrial(trial);
    return {
      seed,
      played,
      outcome: played.outcome,
      violations: judgeRun(played, definition, bounds),
      turns: turnsGiven(played),
      virtualMs: played.stage.time.monotonic(),
      deaths: played.deaths,
    };
  } catch (error) {
    const isEndless = error instanceof TroupeError && error.code === "TEST_RUN_ENDLESS";
    const problem = error instanceof Error ? error.message : String(error);
    return {
      seed,
      played: undefined,
      outcome: "endless",
      violations: [isEndless ? problem : `it broke: ${problem}`],
      ...{ turns: 0, virtualMs: 0, deaths: 0 },
    };
  }
}

/** What people decide, each after some time; in the end they decide nothing any more. */
function decisions(random: Random): readonly ScriptedDecision[] {
  return Array.from({ length: MOST_DECISIONS }, (): readonly ScriptedDecision[] => {
    const after = pick(random, ["1s", "10m", "5h"]);
    const isAgreed = random() < 0.7;
    return [
      { after, approve: isAgreed },
      { after, allow: isAgreed },
      { after, answer: pick(random, ["yes", "no", "1", "", "whatever you think"]) },
    ];
  }).flat();
}

/** Where its process dies: nowhere in half of the runs. */
function deaths(random: Random): readonly ((event: JournalEvent) => boolean)[] {
  if (random() < 0.5) return [];
  const gaps = Array.from(
    { length: 1 + Math.floor(random() * 2) },
    () => 2 + Math.floor(random() * 60),
  );
  return gaps.map((_, index) => {
    const seq = gaps.slice(0, index + 1).reduce((sum, gap) => sum + gap, 0);
    return (event) => event.seq >= seq;
  });
}

/** A host whose commands are not run: how long they take and how they end is decided by a seed. */
function createSimulatedHost(seed: string, options: HostOptions): ProcessHost {
  const host = createHost({ ...options, reaper: false });
  const random = seededRandom(`${seed}/programs/${options.run}`);
  return {
    ...host,
    run: (request, signal) => pretend(request, { signal, random, clock: options.clock }),
    spawn: () => Promise.reject(new Error("a simulated run starts no programs")),
  };
}

interface Pretence {
  readonly signal: AbortSignal;
  readonly random: Random;
  readonly clock: HostOptions["clock"];
}

async function pretend(
  { timeoutMs = Infinity }: CommandRequest,
  { signal, random, clock }: Pretence,
): Promise<CommandResult> {
  const wantedMs = Math.floor(random() ** 4 * 900_000);
  const durationMs = Math.min(wantedMs, timeoutMs);
  const isGood = random() < 0.75;
  await delay(clock, durationMs, signal);
  const timedOut = wantedMs > timeoutMs;
  return {
    exitCode: timedOut ? null : Number(!isGood),
    signal: timedOut ? "SIGTERM" : null,
    timedOut,
    stdout: isGood ? "ok\n" : "",
    stdoutTruncated: false,
    stderr: isGood ? "" : "simulated failure\n",
    stderrTruncated: false,
    durationMs,
  };
}
