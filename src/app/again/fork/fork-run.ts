import { randomBytes } from "node:crypto";
import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import type { EventData, EventOf, JournalEvent } from "../../../contracts/events/event.ts";
import type { ForkChanges, RunForked } from "../../../contracts/events/run-events.ts";
import type { Program } from "../../../contracts/ports/program.ts";
import { foldAll } from "../../../fold/fold.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { isRecord, type Json } from "../../../foundation/json.ts";
import { isSameJson } from "../../../foundation/same-json.ts";
import { startedBelow } from "../../machine/agent-above.ts";
import type { Machine } from "../../machine/machine.ts";
import { assertOwnPlace } from "../../runs/assert-own-place.ts";
import { assertOwnRun } from "../../runs/assert-own-run.ts";
import { neverBegan } from "../../runs/errors.ts";
import { resolveRun } from "../../runs/run-lookup.ts";
import type { OwnCode } from "../../workflow/code/workflow-code.ts";
import { programOf } from "../../workflow/plugins/assert-code.ts";
import { codeOf } from "../../workflow/plugins/code-of.ts";
import { createPatternRunner, type RunPattern } from "../../workflow/shapes/pattern-program.ts";
import { shapeOf } from "../../workflow/shapes/registry.ts";
import { readRecipe } from "../../workflow/shapes/run-recipe.ts";
import { dryReplay, type ReplayMismatch } from "../dry-replay.ts";
import { hashesIn, type ReadableRun, readIntact } from "../read-intact.ts";
import { writeRun } from "../write-run.ts";
import { forkTooLate } from "./errors.ts";
import { type ForkChange, readChanges } from "./fork-changes.ts";
import { findForkPoint } from "./fork-point.ts";
import { transcriptOf } from "./transcript.ts";

/** Where a fork begins and what is different in it. */
export interface ForkRequest extends OwnCode {
  /** The number of an event, or a step: then the event before its first start. */
  readonly at: string;
  readonly changes?: readonly ForkChange[];
}

/** A fork that waits to be resumed. */
export interface Fork {
  readonly run: string;
  /** The last event that it shares with the other run. */
  readonly from: { readonly run: string; readonly seq: number };
  /** Where its agents work: as they have left it, not as it was at that event. */
  readonly cwd: string;
}

/**
 * Makes a new run out of the beginning of another one, which may be over, running or damaged further on; `resumeRun`
 * carries it on. Raises RUN_NOT_FOUND, RUN_AMBIGUOUS, RUN_FOREIGN, RUN_NEVER_BEGAN, RUN_FORK_*, ENGINE_FORK_TOO_LATE,
 * WORKFLOW_CODE_MISSING, ENGINE_PROGRAM_NOT_FOUND, WORKFLOW_PARAM_*, STORE_* errors and what codeOf raises; then nothing was made.
 */
export async function createFork(
  machine: Machine,
  given: string,
  request: ForkRequest,
): Promise<Fork> {
  const source = resolveRun(machine.store, given);
  assertOwnRun(machine.store, source);
  assertOwnPlace(machine, source);
  const readable = readIntact(machine, source);
  if (readable.events.length === 0) throw neverBegan({ run: source });
  const seq = findForkPoint(source, readable.events, request.at);
  const prefix = readable.events.slice(0, seq);
  const state = foldAll(source, prefix);
  const { definition } = await readRecipe(source, readable.texts.get(state.run.definitionHash));
  const code = await codeOf(machine, request);
  const shape = await shapeOf(definition, code);
  const program = await programOf(state.run, definition, code);
  const changes = request.changes ?? [];
  const runPattern = createPatternRunner(await shape.loadPatterns?.(), code.routes);
  const parts = { source, prefix, readable, state, definition, program, runPattern };
  await assertOpen(parts, changes);
  const forked = {
    ...toForked({ run: source, seq }, readChanges(state, definition, changes)),
    ...startedBelow(machine),
  };
  const run = machine.newRunId();
  const events = [...prefix, ...ownEvents(state, prefix, { forked, at: machine.clock.now() })];
  const { stepTotal } = shape.setup(definition, { ...state.run, id: run });
  await writeRun(machine, run, { events, texts: textsOf(readable, events), stepTotal });
  return { run, from: forked.source, cwd: state.run.cwd };
}

interface ForkParts {
  readonly source: string;
  readonly prefix: readonly JournalEvent[];
  readonly readable: ReadableRun;
  readonly state: RunState;
  readonly definition: WorkflowDefinition;
  readonly program: Program<WorkflowDefinition>;
  readonly runPattern: RunPattern;
}

/**
 * Raises ENGINE_FORK_TOO_LATE for the first change that something before the fork has taken in: with it, the program
 * would have asked for something else, come to something else, or given something else to code that it called.
 */
async function assertOpen(parts: ForkParts, changes: readonly ForkChange[]): Promise<void> {
  if (changes.length === 0) return;
  const { source: run, prefix, state, definition } = parts;
  let before = (await replayWith(parts, {})).given;
  for (const [index, change] of changes.entries()) {
    const set = readChanges(state, definition, changes.slice(0, index + 1));
    const { mismatch, given } = await replayWith(parts, set);
    const first = earlier(mismatch, otherGiven(prefix, before, given));
    if (first !== undefined) throw forkTooLate({ run, path: change.path, ...first });
    before = given;
  }
}

async function replayWith(parts: ForkParts, set: ForkChanges) {
  const { source: run, prefix, readable, program, definition, runPattern } = parts;
  const given = new Map<string, Json>();
  const mismatch = await dryReplay({
    ...{ run, program, definition, runPattern, given },
    events: prefix,
    next: toForked({ run, seq: prefix.length }, set),
    textOf: (hash) => readable.texts.get(hash),
    notes: "whole",
  });
  return { mismatch, given };
}

/** The first recorded operation whose code would have been given something else. */
function otherGiven(
  prefix: readonly JournalEvent[],
  before: ReadonlyMap<string, Json>,
  after: ReadonlyMap<string, Json>,
): ReplayMismatch | undefined {
  for (const event of prefix) {
    if (event.type !== "operation-scheduled") continue;
    const [was, now] = [before.get(event.op), after.get(event.op)];
    if (was === undefined || now === undefined || isSameJson(was, now)) continue;
    const recorded = `${event.kind} "${nameOf(event)}"`;
    return { seq: event.seq, recorded, asked: recorded };
  }
  return undefined;
}

function nameOf({ op, input }: EventOf<"operation-scheduled">): string {
  const name = isRecord(input) ? input["name"] : undefined;
  return typeof name === "string" ? name : op;
}

function earlier(
  one: ReplayMismatch | undefined,
  other: ReplayMismatch | undefined,
): ReplayMismatch | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.seq <= other.seq ? one : other;
}

function toForked(source: RunForked["source"], set: ForkChanges): RunForked {
  const seed = randomBytes(16).toString("hex");
  return { type: "run-forked", source, seed, ...(Object.keys(set).length === 0 ? {} : { set }) };
}

/** Where the fork parts: what ran is cut off, and sessions are followed by new ones that are told what they were. */
function ownEvents(
  shared: RunState,
  prefix: readonly JournalEvent[],
  { forked, at }: { readonly forked: RunForked; readonly at: number },
): readonly JournalEvent[] {
  const agents = [...shared.agents.values()];
  const data: readonly EventData[] = [
    forked,
    ...agents.flatMap(({ id: agent, turns }) =>
      [...turns.keys()].map(
        (turn) => ({ type: "turn-interrupted", agent, turn, reason: "suspended" }) as const,
      ),
    ),
    ...agents.flatMap(({ id: agent, sessions }) =>
      [...sessions.keys()].map((session) => {
        const handOver = transcriptOf(prefix, { agent, session });
        const told = handOver === undefined ? {} : { handOver };
        return { type: "session-ended", agent, session, reason: "replaced", ...told } as const;
      }),
    ),
  ];
  return data.map((each, index) => ({ ...each, seq: prefix.length + 1 + index, at }));
}

function textsOf(
  { texts }: ReadableRun,
  events: readonly JournalEvent[],
): { readonly [hash: string]: string } {
  const named = new Set(events.flatMap(hashesIn));
  return Object.fromEntries([...texts].filter(([hash]) => named.has(hash)));
}
