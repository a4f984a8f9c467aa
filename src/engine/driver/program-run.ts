import { z } from "zod";
import type { EventData } from "../../contracts/events/event.ts";
import type { NoteData } from "../../contracts/events/note-events.ts";
import type { ReusableStep, ReuseKey, ReuseTable } from "../../contracts/events/reuse.ts";
import type { Host } from "../../contracts/host.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { Program } from "../../contracts/ports/program.ts";
import type { StepAddress } from "../../contracts/step.ts";
import type { RunRecord } from "../../fold/state/run-record.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import { seededRandom } from "../../foundation/random.ts";
import { reuseInvalid } from "../errors.ts";
import type { OperationRunner } from "../operation-runner.ts";
import type { Timers } from "../ports.ts";
import type { ProgramEnd } from "../run-ending.ts";
import type { RunJournal } from "../run-journal.ts";
import { ScopeNode } from "../scope.ts";
import { type ContextPorts, createContext } from "./program-context.ts";

export interface ProgramRunOptions<Definition> {
  readonly program: Program<Definition>;
  readonly definition: Definition;
  readonly timers: Timers;
  readonly host: Host;
  readonly journal: RunJournal;
  readonly runner: OperationRunner;
  readonly append: (data: EventData) => void;
  readonly runPattern: (context: Context, name: string, options: Json) => Promise<Json>;
  /** Whether the run is not being left: else the program has nothing more to say. */
  readonly isInside: () => boolean;
  /** Whether anybody wants to hear of scopes that are over. */
  readonly hearsOfScopes: () => boolean;
  readonly onScopeOver: (path: string) => void;
  /** Called once; what the program left open is cancelled then. */
  readonly onEnd: () => void;
}

/** One execution of a run's program, from its call to its end, live or in replay. */
export class ProgramRun<Definition> {
  readonly root = new ScopeNode("");
  readonly #options: ProgramRunOptions<Definition>;
  #end: ProgramEnd | undefined;

  constructor(options: ProgramRunOptions<Definition>) {
    this.#options = options;
  }

  /** How the program ended, if it has. */
  get end(): ProgramEnd | undefined {
    return this.#end;
  }

  /** Calls the program. */
  start(): void {
    const { program, definition } = this.#options;
    const context = createContext(this.root, this.#contextPorts());
    const returned = (async () => program.run(context, definition))();
    // Both ends are handled; what the handlers throw is a fault of the engine and ends the process.
    void returned.then(
      (result) => this.#take({ status: "returned", result }),
      (error: unknown) => this.endWith(error),
    );
  }

  /** The program has failed, or has to be given up. */
  endWith(error: unknown): void {
    this.#take({ status: "threw", error: toErrorReport(error) });
  }

  #take(end: ProgramEnd): void {
    const { isInside, onEnd } = this.#options;
    if (this.#end !== undefined || !isInside()) return;
    this.#end = end;
    this.root.close();
    onEnd();
  }

  #contextPorts(): ContextPorts {
    const { journal, runner, timers, host, runPattern } = this.#options;
    const { run, epoch } = journal.state;
    const { id, workflow, instance, task, input, params, cwd, seed, parent } = run;
    const jitter = seededRandom(`${seed}:jitter:${epoch}`);
    return {
      facts: { id, workflow, instance, task, input, params, cwd, isChild: parent !== undefined },
      seed: () => seedAt(run, runner.lastDelivered.seq),
      step: { timers, host, jitter },
      ask: (scope, question, read) => runner.ask(scope, question, read),
      ids: new Set(),
      lastDelivered: () => runner.lastDelivered,
      factAt: (seq) => journal.facts.at(seq),
      reusable: this.#reuse(run),
      revised: (step) => run.revisedSteps.findLast((revised) => isSameExecution(revised, step)),
      note: (note, data) => this.#note(note, data),
      scopeOver: (path) => this.#scopeOver(path),
      runPattern,
    };
  }

  #reuse({ id, reuse }: RunRecord): ContextPorts["reusable"] {
    if (reuse === undefined) return () => undefined;
    return createReuse(id, this.#options.journal.textOf(reuse.hash));
  }

  #note(note: string, data: NoteData): void {
    const { journal, append, isInside } = this.#options;
    if (this.#end !== undefined || !isInside()) return;
    if (!journal.recording.hasNote(note)) append({ ...data, note });
  }

  #scopeOver(path: string): void {
    const { journal, hearsOfScopes, onScopeOver } = this.#options;
    if (hearsOfScopes()) journal.whenDurable(() => onScopeOver(path));
  }
}

function seedAt({ seed, laterSeeds }: RunRecord, seq: number): string {
  return laterSeeds.findLast(({ afterSeq }) => seq > afterSeq)?.seed ?? seed;
}

function isSameExecution(left: StepExecutionKey, right: StepExecutionKey): boolean {
  return left.path === right.path && left.execution === right.execution;
}

type StepExecutionKey = Pick<StepAddress, "path" | "execution">;

const reuseTable: z.ZodType<ReuseTable> = z.object({
  v: z.literal(1),
  steps: z.array(
    z.object({
      path: z.string(),
      execution: z.number(),
      inputHash: z.string(),
      reusedFrom: z.object({ run: z.string(), seq: z.number() }),
      attempt: z.number(),
      output: z.string(),
      outputTruncated: z.boolean().exactOptional(),
      text: z.string().exactOptional(),
      reason: z.enum(["done-signal", "verified", "exit", "released", "timeout", "failed"]),
      durationMs: z.number(),
      agent: z.string().exactOptional(),
      outcome: z.string().exactOptional(),
      data: z.json().exactOptional(),
    }),
  ),
});

/** Answers what a run may take over, by the text of its table in the journal. Raises ENGINE_REUSE_INVALID. */
function createReuse(
  run: string,
  text: string | undefined,
): (key: ReuseKey) => ReusableStep | undefined {
  if (text === undefined) throw reuseInvalid({ run, problem: "it is missing" });
  const steps = new Map(
    parse(run, text).steps.map(({ path, execution, ...step }) => [
      keyOf({ path, execution, inputHash: step.inputHash }),
      step,
    ]),
  );
  return (key) => steps.get(keyOf(key));
}

function parse(run: string, text: string): ReuseTable {
  const table = reuseTable.safeParse(JSON.parse(text));
  if (table.success) return table.data;
  throw reuseInvalid({ run, problem: z.prettifyError(table.error) });
}

function keyOf({ path, execution, inputHash }: ReuseKey): string {
  return `${path}\n${execution}\n${inputHash}`;
}
