import { z } from "zod";
import type { NoteData } from "../../contracts/events/note-events.ts";
import type { ReusableStep, ReuseKey, ReuseTable } from "../../contracts/events/reuse.ts";
import type { Host } from "../../contracts/host.ts";
import type { Context, StepCall } from "../../contracts/ports/context.ts";
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
import type { RunExit } from "../run-exit.ts";
import type { RunJournal } from "../run-journal.ts";
import type { RunListeners } from "../run-listeners.ts";
import type { ScopeNode } from "../scope.ts";
import { type ContextPorts, createContext } from "./program-context.ts";

/** A program, and what it is called with. */
export interface ProgramCall<Definition> {
  readonly program: Program<Definition>;
  readonly definition: Definition;
  readonly host: Host;
  /** Functions for its reflections. Defaults to none. */
  readonly reflecting?: StepCall["reflecting"];
  /** Functions for its pattern. Defaults to none. */
  readonly functions?: StepCall["functions"] | undefined;
  /** Looks for what earlier work teaches. Defaults to nothing. */
  readonly lessons?: StepCall["lessons"];
  /** Carries out a pattern that a program asks for by name. */
  readonly runPattern: (context: Context, name: string, options: Json) => Promise<Json>;
}

interface ProgramRunParts<Definition> {
  readonly call: ProgramCall<Definition>;
  readonly root: ScopeNode;
  readonly timers: Timers;
  readonly journal: RunJournal;
  readonly runner: OperationRunner;
  readonly listeners: RunListeners;
  /** While the run is being left, the program has nothing more to say. */
  readonly exit: RunExit;
  /** Told once; what the program left open is cancelled then. */
  readonly watcher: { programEnded(): void };
}

/** One execution of a run's program, from its call to its end, live or in replay. */
export class ProgramRun<Definition> {
  readonly #parts: ProgramRunParts<Definition>;
  #end: ProgramEnd | undefined;

  constructor(parts: ProgramRunParts<Definition>) {
    this.#parts = parts;
  }

  /** How the program ended, if it has. */
  get end(): ProgramEnd | undefined {
    return this.#end;
  }

  /** Calls the program. */
  start(): void {
    const { call, root } = this.#parts;
    const { program, definition } = call;
    const context = createContext(root, this.#contextPorts());
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
    const { exit, root, watcher } = this.#parts;
    if (this.#end !== undefined || !exit.isInside) return;
    this.#end = end;
    root.close();
    watcher.programEnded();
  }

  #contextPorts(): ContextPorts {
    const { call, journal, runner, timers, listeners } = this.#parts;
    const { run, epoch } = journal.state;
    const { id, workflow, instance, task, input, params, cwd, seed, parent } = run;
    const { reflecting = {}, functions = {}, lessons = async () => [] } = call;
    const workPlaces = listeners.workPlaces ?? {
      of: async () => ({ cwd }),
      given: () => undefined,
    };
    const jitter = seededRandom(`${seed}:jitter:${epoch}`);
    return {
      facts: { id, workflow, instance, task, input, params, cwd, isChild: parent !== undefined },
      journal,
      runner,
      seed: () => seedAt(run, runner.lastDelivered.seq),
      step: { timers, host: call.host, reflecting, functions, lessons, workPlaces, jitter },
      ids: new Set(),
      reusable: this.#reuse(run),
      revised: (step) => run.revisedSteps.findLast((revised) => isSameExecution(revised, step)),
      note: (note, data) => this.#note(note, data),
      scopeOver: (path) => this.#scopeOver(path),
      runPattern: call.runPattern,
    };
  }

  #reuse({ id, reuse }: RunRecord): ContextPorts["reusable"] {
    if (reuse === undefined) return () => undefined;
    return createReuse(id, this.#parts.journal.textOf(reuse.hash));
  }

  #note(note: string, data: NoteData): void {
    const { journal, exit } = this.#parts;
    if (this.#end !== undefined || !exit.isInside) return;
    if (!journal.recording.hasNote(note)) journal.append({ ...data, note });
  }

  #scopeOver(path: string): void {
    const { journal, listeners } = this.#parts;
    if (listeners.hearsOfScopes) journal.whenDurable(() => listeners.scopeOver(path));
  }
}

function seedAt({ seed, laterSeeds }: RunRecord, seq: number): string {
  return laterSeeds.findLast(({ afterSeq }) => seq > afterSeq)?.seed ?? seed;
}

function isSameExecution(left: StepExecutionKey, right: StepExecutionKey): boolean {
  return left.path === right.path && left.execution === right.execution;
}

type StepExecutionKey = Pick<StepAddress, "path" | "execution">;

const allowedCommand = z.object({
  exitCode: z.number().nullable(),
  stderr: z.string(),
  error: z.object({ code: z.string(), message: z.string(), report: z.string() }).exactOptional(),
});

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
      command: allowedCommand.exactOptional(),
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
