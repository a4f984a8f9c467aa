import type { SpawnLimits } from "../../agents/spawn-limits.ts";
import { parseTurnInput } from "../../agents/turn-prompt.ts";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { AgentBackend } from "../../contracts/backend.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { EventOf, JournalEvent } from "../../contracts/event.ts";
import type { RunCreated } from "../../contracts/events/run-events.ts";
import type { Outcome } from "../../contracts/run.ts";
import { createMemoryStore } from "../../journal/memory-store.ts";
import { channelNameOf } from "../../programs/primitives/channel-name.ts";
import { patternProgram, runPattern } from "../pattern-program.ts";
import { type OwnedRun, ownRun } from "../run-owner.ts";
import { untilOver } from "./drive-rehearsal.ts";
import { dryHost } from "./dry-host.ts";
import { standInAnswer } from "./stand-in-answer.ts";
import { type BackendTraits, createStandIn } from "./stand-in-backend.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

// Carries the real program of a workflow out in memory, with nobody and nothing behind it. Owns its journal,
// clock and stand-ins; what it changes is gone with it.
// R1: no process, no file, no network: agents answer by themselves, the host does nothing.
// R2: every step runs: conditions hold, checks pass, bounds do not bind.

/** What the rehearsal takes the place of. */
export interface RehearsalRequest {
  readonly definition: PatternDefinition;
  readonly created: Omit<RunCreated, "type" | "seed" | "limits" | "definitionHash" | "program">;
  readonly traits: (backend: string) => BackendTraits;
  readonly spawnLimits: SpawnLimits;
}

/** What an agent is told, and for which step. */
export interface RehearsedPrompt {
  readonly agent: string;
  /** Id of the step; null for a turn that serves none. */
  readonly step: string | null;
  /** All that it is told: conventions and task. */
  readonly text: string;
}

/** How a workflow goes when everything succeeds. */
export interface Rehearsal {
  readonly outcome: Outcome | "waiting";
  readonly reason: string;
  /** In the order in which they are given. */
  readonly prompts: readonly RehearsedPrompt[];
  /** The agents as they are spawned, their variables filled in. */
  readonly agents: readonly AgentSpec[];
}

/** The id that stands for the id of the run. */
export const REHEARSAL_RUN = "run_000000";

const START_MS = Date.UTC(2026, 0, 1);
/** Carries a workflow out as if everything succeeded. */
export async function rehearse(request: RehearsalRequest): Promise<Rehearsal> {
  const clock = createVirtualClock(START_MS);
  const events: JournalEvent[] = [];
  const owned = begin(request, clock, events);
  await untilOver(owned, clock, () => events.length);
  const { event } = await owned.parted;
  return {
    outcome: event.type === "run-ended" ? event.outcome : "waiting",
    reason: event.reason,
    prompts: events.flatMap(toPrompt),
    agents: events.flatMap((spawned) => (spawned.type === "agent-spawned" ? [spawned.spec] : [])),
  };
}

function begin(
  { definition: given, created, traits, spawnLimits }: RehearsalRequest,
  clock: VirtualClock,
  events: JournalEvent[],
): OwnedRun {
  const definition = withoutBounds(given);
  const journal = createMemoryStore().create(REHEARSAL_RUN);
  const lease = journal.takeLease(NOBODY, { ttlMs: 0, isGone: () => true });
  if (lease.status === "held") throw new Error("somebody else rehearses in this memory");
  const program = patternProgram(definition.pattern);
  const owned: OwnedRun = ownRun({
    journal,
    ownership: { epoch: lease.epoch, onLost: () => {}, release: () => {} },
    timers: clock,
    host: dryHost,
    backend: standIns(definition, traits),
    program,
    definition,
    toResult: () => null,
    mainChannel: channelNameOf(definition.channel, REHEARSAL_RUN),
    markers: [...new Set(definition.barriers.map((barrier) => barrier.signal))],
    stepTotal: definition.steps.length,
    created: {
      event: {
        ...created,
        type: "run-created",
        definitionHash: "0".repeat(64),
        program: program.name,
        seed: REHEARSAL_RUN,
        limits: {},
      },
      definitionText: "{}",
    },
    spawnLimits,
    maxTurnsPerBackend: Infinity,
    approvals: "all",
    suspendsWhenWaiting: true,
    runPattern,
    onCommitted: (committed) => {
      events.push(...committed);
    },
  });
  return owned;
}

const NOBODY = {
  ...{ pid: 0, pidStartedAt: "", bootId: "", socketPath: "", command: "" },
  nowMs: 0,
};

/** Conditions are decided and checks are made at run time; neither they nor bounds may hide a step. */
function withoutBounds(given: PatternDefinition): PatternDefinition {
  const { timeoutMs: _timeoutMs, budget: _budget, ...definition } = given;
  return {
    ...definition,
    agents: definition.agents.map(({ budget: _, ...agent }) => agent),
    steps: definition.steps.map(({ when: _when, timeoutMs: _ms, budget: _own, ...step }) => ({
      ...step,
      verify: [],
    })),
  };
}

function standIns(
  definition: PatternDefinition,
  traits: (backend: string) => BackendTraits,
): (name: string) => AgentBackend {
  const demands = new Map(
    definition.agents.map(({ id, backend, demandsSignal }) => [
      id,
      demandsSignal ?? traits(backend).demandsSignal,
    ]),
  );
  const made = new Map<string, AgentBackend>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const backend = createStandIn(traits(name), ({ agent, step }) =>
      standInAnswer(definition, { agent, step, demandsSignal: demands.get(agent) ?? false }),
    );
    made.set(name, backend);
    return backend;
  };
}

function toPrompt(event: JournalEvent): readonly RehearsedPrompt[] {
  if (!isTurn(event)) return [];
  const { agent, prompt, step } = parseTurnInput(event.input);
  return [{ agent, step: step?.id ?? null, text: prompt }];
}

function isTurn(event: JournalEvent): event is EventOf<"operation-scheduled"> {
  return event.type === "operation-scheduled" && event.kind === "turn";
}
