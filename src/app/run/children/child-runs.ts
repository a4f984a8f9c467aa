import { z } from "zod";
import { useOfRun } from "../../../agents/budget/child-budgets.ts";
import type { OperationCall, OperationHandler, StopRequest } from "../../../contracts/operation.ts";
import type { Outcome, WaitingItem } from "../../../contracts/run.ts";
import { warnOfCleanUp } from "../../../engine/clean-up.ts";
import type { RunRuntime } from "../../../engine/run-runtime.ts";
import type { ChildState } from "../../../fold/state/child-state.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { isWaitingForPerson, waitingItems } from "../../../fold/waiting.ts";
import { rejectOnAbort } from "../../../foundation/abort.ts";
import { toErrorReport } from "../../../foundation/errors.ts";
import { shortId } from "../../../foundation/ids.ts";
import { type Json, toJson } from "../../../foundation/json.ts";
import { seededRandom } from "../../../foundation/random.ts";
import { isSameJson } from "../../../foundation/same-json.ts";
import type { TreeMember } from "../owner/run-tree.ts";
import type { WorkflowRun } from "../owner/workflow-run.ts";
import { ChildJournals } from "./child-journals.ts";
import type { ChildCall, ChildRunsParts } from "./child-runs-parts.ts";

// Owns the child runs of one run while this process carries it out: from the operation that wants one to its
// outcome. Does not own how a run is carried out; a child is a run like any other.
// N1: `child-started` is durable before the child exists, and names it: whoever comes next finds it.
// N2: the outcome of the operation is read from the child's end, which is durable before; `child-ended` shares
//     its transaction.
// N3: cancelling the operation cancels the child and waits for its end; letting go of the run lets go of the child.
// N4: the run does not end before every child of it has ended, also those whose operation is over; one that cannot be
//     ended is a warning.
// N5: a child that stopped at a limit of its own stops the run, resumable; its operation stays open.

const childOperation = z.object({
  workflow: z.string(),
  input: z.json(),
  step: z.object({ id: z.string(), path: z.string() }).exactOptional(),
});

type ChildOperation = z.infer<typeof childOperation>;

/** What a child came to. */
interface ChildOver {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly result: Json;
}

/** Lets a run that is about to start have child runs. */
export function serveChildRuns(parts: ChildRunsParts): void {
  const { runtime } = parts;
  const children = new ChildRuns(parts);
  runtime.register(children.handler);
  runtime.onStopping(async (stop) => {
    if (stop === "ended") await children.endAbandoned();
  });
}

/** Carries out the operations that want a child run. */
class ChildRuns {
  readonly #parts: ChildRunsParts;
  readonly #journals: ChildJournals;
  /** Those that this process carries out, by operation. */
  readonly #live = new Map<string, WorkflowRun>();
  readonly #watches = new Map<string, ChildWatch>();

  constructor(parts: ChildRunsParts) {
    this.#parts = parts;
    this.#journals = new ChildJournals(parts, (op, child, member) =>
      this.#watches.set(op, watchChild(parts.runtime, { child, op }, member)),
    );
  }

  get handler(): OperationHandler {
    return {
      kind: "child",
      effect: "world",
      // However often an owner dies over it: the child counts the deaths of its own operations.
      waitsFor: "others",
      isStill: (op) => this.#watches.get(op)?.isStill ?? false,
      execute: (input, call) => this.#execute(childOperation.parse(input), call),
    };
  }

  /** Ends the children whose operations are over while they are not: their owner died meanwhile, or never took them up. */
  async endAbandoned(): Promise<void> {
    const { state } = this.#parts.runtime;
    const abandoned = [...state.children.values()].filter(
      ({ op, child, end }) =>
        end === undefined && !this.#live.has(op) && this.#journals.belongs(child, op) === "own",
    );
    await Promise.all(abandoned.map((child) => this.#endOne(child)));
  }

  /** A child that cannot be ended keeps no other from being ended, nor the run from its own end. */
  async #endOne({ child, op }: ChildState): Promise<void> {
    const request: StopRequest = { kind: "cancelled", reason: "the run that wanted it is over" };
    const call = { op, signal: AbortSignal.abort(request) };
    try {
      this.#finish(op, child, await this.#carry({ child, call, begin: undefined }));
    } catch (error) {
      const left = `run ${child} was not ended; it goes on with: troupe resume ${child}`;
      warnOfCleanUp(this.#parts.runtime, { of: `children/${child}`, left, error });
    }
  }

  async #execute(wanted: ChildOperation, call: OperationCall): Promise<Json> {
    const begin = await this.#journals.toBegin(wanted.workflow, wanted.input);
    const child = await this.#idOf(wanted, call);
    const over = await this.#carry({ child, call, begin });
    return this.#finish(call.op, child, over);
  }

  /** The child of an operation, told before it exists. */
  async #idOf({ workflow, step }: ChildOperation, { op }: OperationCall): Promise<string> {
    const { runtime } = this.#parts;
    const { children, run } = runtime.state;
    const known = children.get(op)?.child;
    // In a fork it may be that of the other run.
    if (known !== undefined && this.#journals.belongs(known, op) !== "other") return known;
    const random = seededRandom(`${runtime.run}:${run.seed}:${op}`);
    let child = shortId("run", random);
    while (this.#journals.belongs(child, op) === "other") child = shortId("run", random);
    const at = step === undefined ? {} : { step: step.id, path: step.path };
    runtime.append({ type: "child-started", child, op, workflow, ...at });
    await runtime.flushed();
    return child;
  }

  /** Resolves when the child is over; rejects when the operation is to end before. */
  async #carry({ child, call, begin }: ChildCall): Promise<ChildOver> {
    const { op, signal } = call;
    const opened = await this.#open({ child, call, begin });
    if (opened.status === "over") {
      this.#parts.budget.takeTotals({ child, op }, useOfRun(opened.state));
      return toOver(opened.state);
    }
    const { run } = opened;
    this.#live.set(op, run);
    const stop = () => this.#stop(op, signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    try {
      const { event } = begin === undefined ? await run.parted : await this.#parted(run);
      this.#parts.budget.takeTotals({ child, op }, useOfRun(run.state));
      const { exceeded } = run.state.budget;
      const isOver = event.type === "run-ended";
      if (isOver && !(event.resumable && event.outcome === "limit-reached")) return event;
      if (isOver && exceeded !== undefined) this.#parts.budget.stopForChild(child, exceeded);
      else if (isOver && event.error !== undefined) this.#parts.budget.stopWithChild(event.error);
      // Only a person can continue the child, and with it this run.
      if (event.type === "run-suspended" && event.error !== undefined)
        this.#parts.suspend("interrupted", WAITING_EXIT_CODE, event.error);
      // Nothing is settled: the child goes on when this run does.
      return await rejectOnAbort(signal).promise;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#live.delete(op);
      this.#watches.delete(op);
      this.#parts.budget.forget(child);
    }
  }

  async #open(asked: ChildCall): ReturnType<ChildJournals["open"]> {
    try {
      return await this.#journals.open(asked);
    } catch (error) {
      // A new child that cannot start is a failure that the program may handle. One that was under way is none, unless
      // nobody waits for it any longer.
      const isAwaited = asked.begin !== undefined;
      if (isAwaited && this.#journals.belongs(asked.child, asked.call.op) !== "nobody")
        this.#parts.runtime.fail(error);
      throw error;
    }
  }

  /** A child that stops without a word has a journal that cannot be written, or does not fit: so it is with this run. */
  async #parted(run: WorkflowRun): ReturnType<() => WorkflowRun["parted"]> {
    try {
      return await run.parted;
    } catch (error) {
      this.#parts.runtime.fail(error);
      throw error;
    }
  }

  #stop(op: string, request: StopRequest): void {
    const run = this.#live.get(op);
    if (request.kind === "suspended") this.#watches.get(op)?.suspend();
    // It may be over already, or on its way out; `parted` tells.
    else run?.command({ kind: "cancel", reason: request.reason }, "parent").catch(() => {});
  }

  #finish(op: string, child: string, over: ChildOver): Json {
    const { outcome, reason, result } = over;
    const { runtime, budget } = this.#parts;
    runtime.append({ type: "child-ended", child, op, outcome, reason });
    const met = outcome === "completed" ? undefined : budget.limitMetBy({ child, op });
    const limit = met === undefined ? {} : { limit: toErrorReport(met) };
    return toJson({ run: child, outcome, reason, result, ...limit }, "the result of a child run");
  }
}

function toOver({ phase }: RunState): ChildOver {
  if (phase.status === "ended") return phase;
  throw new Error("a run that is not over has no result");
}

/** A child run that this process carries out, as its parent sees it. */
interface ChildWatch {
  readonly isStill: boolean;
  /** Lets go of the child; what it asks stays told. */
  suspend(): void;
}

/** Tells the parent what the child asks people for, and when only they can move it on. */
function watchChild(
  parent: RunRuntime,
  { child, op }: { readonly child: string; readonly op: string },
  { runtime: below, suspend }: TreeMember,
): ChildWatch {
  let told: Asking = { waitingFor: [], isBlocked: false };
  let isLeaving = false;
  const tell = (asking: Asking) => {
    if (isLeaving || isSame(told, asking)) return;
    told = asking;
    parent.append({ type: "child-waiting", child, op, ...asking });
  };
  below.onQuiet(() => {
    tell(askingOf(below, child));
    parent.checkRest();
  });
  // That it goes on counts at once: the parent's clock stands until then.
  below.onAppended(() => {
    if (told.isBlocked && !isWaitingForPerson(below.state)) tell(askingOf(below, child));
  });
  return {
    get isStill() {
      return below.isStill;
    },
    suspend: () => {
      isLeaving = true;
      if (isWaitingForPerson(below.state)) suspend("waiting", WAITING_EXIT_CODE);
      else suspend("interrupted", INTERRUPTED_EXIT_CODE);
    },
  };
}

const WAITING_EXIT_CODE = 3;
const INTERRUPTED_EXIT_CODE = 130;

interface Asking {
  readonly waitingFor: readonly WaitingItem[];
  readonly isBlocked: boolean;
}

function askingOf({ state }: RunRuntime, run: string): Asking {
  return {
    waitingFor: waitingItems(state).map((item) => ({ ...item, run: item.run ?? run })),
    isBlocked: isWaitingForPerson(state),
  };
}

function isSame(left: Asking, right: Asking): boolean {
  return isSameJson(toJson(left, "what a child asks"), toJson(right, "what a child asks"));
}
