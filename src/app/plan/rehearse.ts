import type { SpawnLimits } from "../../agents/agent-roster.ts";
import { NO_RULES } from "../../agents/permission-rules.ts";
import type { AgentMeans } from "../../agents/session-ports.ts";
import { parseTurnInput } from "../../agents/turn-prompt.ts";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { AgentBackend, BackendShelf } from "../../contracts/backend.ts";
import type { WorkflowDefinition } from "../../contracts/definition.ts";
import type { EventOf, JournalEvent } from "../../contracts/events/event.ts";
import type { RunCreated } from "../../contracts/events/run-events.ts";
import type { Message, ReceivedMessage } from "../../contracts/message.ts";
import type { OperationHandler } from "../../contracts/operation.ts";
import type { Program } from "../../contracts/ports/program.ts";
import type { Outcome } from "../../contracts/run.ts";
import type { MessageCopy } from "../../contracts/shadow.ts";
import { createSemaphore } from "../../foundation/semaphore.ts";
import { createMemoryStore } from "../../journal/memory-store.ts";
import { renderInbox } from "../../messaging/inbox-text.ts";
import { type OwnedRun, ownRun } from "../run/owner/run-owner.ts";
import { createPatternRunner, type RunPattern } from "../workflow/shapes/pattern-program.ts";
import type { PlannedPrompt } from "../workflow/shapes/planned-step.ts";
import {
  type RehearsedTurn,
  type ShapeRehearsal,
  type WorkflowShape,
  withoutFiles,
} from "../workflow/shapes/shape.ts";
import { dryHost } from "./dry-host.ts";
import { createStandIn, type StandInTraits } from "./stand-in-backend.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

// Carries the real program of a workflow out in memory, with nobody and nothing behind it. Owns its journal,
// clock and stand-ins; what it changes is gone with it.
// R1: no process, no file, no network: agents answer by themselves, the host does nothing.
// R2: every step runs: conditions hold, checks pass, bounds do not bind.

/** What the rehearsal takes the place of. */
export interface RehearsalRequest {
  readonly definition: WorkflowDefinition;
  readonly shape: WorkflowShape;
  readonly plan: ShapeRehearsal<WorkflowDefinition>;
  readonly created: Omit<RunCreated, "type" | "seed" | "limits" | "definitionHash" | "program">;
  readonly traits: (backend: string) => StandInTraits;
  readonly spawnLimits: SpawnLimits;
}

/** How a workflow goes when everything succeeds. */
export interface Rehearsal {
  readonly outcome: Outcome | "waiting";
  readonly reason: string;
  /** In the order in which they are given. */
  readonly prompts: readonly PlannedPrompt[];
  /** Ids of the steps in the order in which they begin, each once. */
  readonly started: readonly string[];
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
  const owned = begin(await prepare(request), clock, events);
  await untilOver(owned, clock);
  const { event } = await owned.parted;
  return {
    outcome: event.type === "run-ended" ? event.outcome : "waiting",
    reason: event.reason,
    prompts: toPrompts(events),
    started: [...new Set(events.flatMap((it) => (it.type === "step-started" ? [it.step] : [])))],
    agents: events.flatMap((spawned) => (spawned.type === "agent-spawned" ? [spawned.spec] : [])),
  };
}

/** A rehearsal with all that it takes loaded. */
interface PreparedRehearsal extends Omit<RehearsalRequest, "plan"> {
  readonly program: Program<WorkflowDefinition>;
  readonly runPattern: RunPattern;
  readonly standIn: (turn: RehearsedTurn) => string;
}

async function prepare({ plan, ...request }: RehearsalRequest): Promise<PreparedRehearsal> {
  const { shape } = request;
  const definition = plan.rehearsed(request.definition);
  return {
    ...request,
    definition,
    program: await shape.program(definition),
    runPattern: createPatternRunner(await shape.loadPatterns?.()),
    standIn: await plan.standInOf(definition),
  };
}

function begin(prepared: PreparedRehearsal, clock: VirtualClock, events: JournalEvent[]): OwnedRun {
  const { definition, shape, created, program, runPattern, spawnLimits } = prepared;
  const journal = createMemoryStore().create(REHEARSAL_RUN);
  const lease = journal.takeLease(NOBODY, { ttlMs: 0, isGone: () => true });
  if (lease.status === "held") throw new Error("somebody else rehearses in this memory");
  const owned: OwnedRun = ownRun({
    journal,
    mask: undefined,
    ownership: { epoch: lease.epoch, onLost: () => {}, release: () => {} },
    timers: clock,
    beginning: {
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
      limits: undefined,
    },
    work: {
      call: { program, definition, host: dryHost, runPattern },
      toResult: () => null,
      setup: withoutFiles(shape.setup(definition, { ...created, id: REHEARSAL_RUN })),
      isStanding: false,
      mirror: undefined,
    },
    agents: {
      means: NO_MEANS,
      spawning: {
        backends: standIns(prepared),
        limits: spawnLimits,
        others: () => [],
      },
      spending: { pricing: () => undefined, above: undefined, day: undefined },
      spawnable: undefined,
      surroundings: undefined,
      directory: undefined,
    },
    people: { approvals: "all", retriesPaused: true, suspendsWhenWaiting: true },
    // What a child would come to is its own plan.
    prepare: ({ runtime }) => runtime.register(childStandIn),
    onCommitted: (committed) => {
      events.push(...committed);
    },
  });
  return owned;
}

const NO_MEANS: AgentMeans = {
  slots: () => createSemaphore(Infinity),
  governor: undefined,
  contextDoor: undefined,
  permissions: { rules: NO_RULES, timeout: undefined },
  trustsProject: () => false,
  onUpdate: undefined,
};

const childStandIn: OperationHandler = {
  kind: "child",
  effect: "journal",
  execute: () => ({ run: "", outcome: "completed", reason: "rehearsed", result: null }),
};

const NOBODY = {
  ...{ pid: 0, pidStartedAt: "", bootId: "", socketPath: "", command: "" },
  nowMs: 0,
};

function standIns({ definition, standIn, traits }: PreparedRehearsal): BackendShelf {
  const demands = new Map(
    definition.agents.map(({ id, backend, demandsSignal }) => [
      id,
      demandsSignal ?? traits(backend).demandsSignal,
    ]),
  );
  const made = new Map<string, AgentBackend>();
  const find = (name: string) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const backend = createStandIn(traits(name), ({ agent, step }) =>
      standIn({ agent, step, demandsSignal: demands.get(agent) ?? false }),
    );
    made.set(name, backend);
    return backend;
  };
  return { find, load: async (name) => find(name) };
}

/** What the program asks for, and what messages do. */
function toPrompts(events: readonly JournalEvent[]): readonly PlannedPrompt[] {
  const messages = new Map<string, Message>();
  const copies = new Map<string, MessageCopy>();
  return events.flatMap((event): readonly PlannedPrompt[] => {
    if (event.type === "message-posted") {
      const { type: _type, key: _key, at, ...message } = event;
      messages.set(event.id, { ...message, timestamp: new Date(at).toISOString() });
    }
    if (event.type === "message-copied") {
      const { agent, id, of, direction } = event;
      copies.set(`${agent}/${id}`, { of, direction });
    }
    if (isTurn(event)) {
      const { agent, prompt, step } = parseTurnInput(event.input);
      return [{ agent, step: step?.id ?? null, text: prompt }];
    }
    if (event.type !== "turn-started" || event.items.some(({ kind }) => kind === "prompt"))
      return [];
    const taken = event.items.flatMap((item): readonly ReceivedMessage[] => {
      const message = item.kind === "message" ? messages.get(item.id) : undefined;
      if (message === undefined) return [];
      const copy = copies.get(`${event.agent}/${message.id}`);
      return [{ ...message, ...(copy === undefined ? {} : { copy }) }];
    });
    return [{ agent: event.agent, step: null, text: renderInbox(taken) }];
  });
}

function isTurn(event: JournalEvent): event is EventOf<"operation-scheduled"> {
  return event.type === "operation-scheduled" && event.kind === "turn";
}

// More turns of the event loop in which nothing happens than anything that is ready needs.
const QUIET_ROUNDS = 4;

/** A workflow that goes round in circles is shown this far, and no further. */
const MAX_TURNS = 10_000;

/**
 * Moves the clock of a rehearsal on whenever nothing else happens, until it is over. What does not end by
 * itself is cancelled.
 */
async function untilOver(owned: OwnedRun, clock: VirtualClock): Promise<void> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  owned.parted.then(over, over);
  let isCancelled = false;
  const goesOn = () => !isOver && (isCancelled || owned.state.turnsEnded <= MAX_TURNS);
  while (!isOver) {
    for (let seq = -1; seq !== owned.state.lastSeq && goesOn(); await settle())
      seq = owned.state.lastSeq;
    if (isOver || (goesOn() && clock.fireNext())) continue;
    if (isCancelled) throw new Error("a rehearsal does not end");
    isCancelled = true;
    await owned.command({ kind: "cancel", reason: "it does not end by itself" }, "plan");
  }
}

async function settle(): Promise<void> {
  for (let round = 0; round < QUIET_ROUNDS; round += 1)
    await new Promise<void>((resolve) => setImmediate(resolve));
}
