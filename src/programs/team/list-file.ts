import { z } from "zod";
import type { FoundText, Workspace } from "../../contracts/host.ts";
import type { Context, StepCall } from "../../contracts/ports/context.ts";
import { TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { findStorageFault } from "../../foundation/storage-fault.ts";
import { editsOf, type ListEdit } from "./person-edit.ts";
import type { TaskBoard } from "./task-board.ts";
import type { ListFormat, WrittenTask } from "./written-list.ts";

// Owns the file that shows the tasks of a team, and what people write into it.
// F1: what the program knows of the file comes from the journal: what it wrote, and what was found there.
// F2: a text that Troupe did not write is never overwritten before it was taken in.
// F3: what is in the place of the file and cannot be read is left; the list is written beside it until it can.
// F4: nothing is written before what people have prepared was read: a list that cannot be read is not an empty one.

const MOST_REMEMBERED = 50;
/** Files with more are left as they are. */
const MAX_CHARS = 1_048_576;

/** Takes the changes of a person in; the numbers that added tasks got, null for those that were refused. */
export type TakeEdits = (edits: readonly ListEdit[]) => ReadonlyMap<WrittenTask, number | null>;

/** What a list is shown in. */
export interface ListPlace {
  /** Absolute directory in which the path counts. */
  readonly root: string;
  /** Path of the directory of the team. */
  readonly directory: string;
  readonly team: string;
  readonly format: ListFormat;
}

const exchanged = z.union([
  z.object({ status: z.literal("written") }),
  z.object({ status: z.literal("found"), text: z.string() }),
  // It was written, over a text that somebody had put there in the same moment.
  z.object({ status: z.literal("replaced"), text: z.string() }),
  // What is in its place is no file that can be read, such as a directory.
  z.object({ status: z.literal("blocked"), problem: z.string() }),
  // That is over: there is a file, or nothing.
  z.object({ status: z.literal("freed") }),
]);

type Exchanged = Extract<z.output<typeof exchanged>, { status: "written" | "found" | "replaced" }>;

/** A text, or why there is none. */
const touched = z.union([z.string(), z.object({ problem: z.string() })]);

/** Why a list cannot be read, in words. */
export interface ListFault {
  /** With the line, if it is one line's. */
  readonly problem: string;
  /** Where the tasks are meanwhile. */
  readonly beside: string;
}

/** The file of a list. */
export class ListFile {
  readonly #place: ListPlace;
  readonly #board: TaskBoard;
  readonly #take: TakeEdits;
  readonly #onFault: (fault: ListFault) => void;
  /** What the file holds as far as is known; undefined before there is one. */
  #text: string | undefined;
  /** A text that could not be read. */
  #unreadable: string | undefined;
  /** Why what is in the place of the file cannot be read at all. */
  #blocked: string | undefined;
  #fault: ListFault | undefined;
  #isPrepared = false;
  #beside: string | undefined;
  /** Lines without a number that were taken in, in their order, until the file shows their numbers. */
  #taken: readonly Taken[] = [];
  readonly #written: (readonly WrittenTask[])[] = [];
  /** What is being written. */
  #coming: string | undefined;

  constructor(
    place: ListPlace,
    {
      board,
      take,
      onFault,
    }: { board: TaskBoard; take: TakeEdits; onFault: (fault: ListFault) => void },
  ) {
    this.#place = place;
    this.#board = board;
    this.#take = take;
    this.#onFault = onFault;
  }

  /** Path of the file. */
  get path(): string {
    return `${this.#place.directory}/${this.#place.format.file}`;
  }

  /** Why the file cannot be read now. */
  get fault(): ListFault | undefined {
    return this.#fault;
  }

  /** Takes in what people have prepared and writes the list; why that cannot be read, and then nothing was written. */
  async prepare(context: Context): Promise<ListFault | undefined> {
    this.#clear();
    await this.sync(context);
    this.#isPrepared = this.#fault === undefined;
    return this.#fault;
  }

  /** Takes in what somebody wrote, and writes what is different now, until the file shows the list. Calls must not overlap. */
  async sync(context: Context): Promise<void> {
    for (;;) {
      const { text, path, shown } = this.#next();
      if (text === shown) return;
      this.#coming = text;
      const end = exchanged.parse(
        await context.step("tasks", (call) =>
          exchange(call, {
            root: this.#place.root,
            path,
            text,
            shown,
            main: this.path,
            unreadable: this.#unreadable,
            blocked: this.#blocked,
          }),
        ),
      );
      this.#coming = undefined;
      // `untilTouched` may have seen the same meanwhile.
      if (end.status === "freed") {
        if (this.#blocked !== undefined) this.#clear();
        continue;
      }
      if (end.status === "blocked") this.#block(end.problem);
      else this.#applyChange(end, text);
      if (!this.#isPrepared && this.#fault !== undefined) return;
    }
  }

  #applyChange(end: Exchanged, text: string): void {
    if (end.status !== "found") this.#wrote(text);
    if (end.status === "written" || this.#isKnown(end.text)) return;
    this.#find(end.text);
    if (end.status === "found") return;
    // The file shows the list, whatever was read.
    this.#clear();
    this.#text = text;
  }

  /** Resolves once somebody else has written into the file, or put something in its place; `sync` takes that in. */
  async untilTouched(context: Context): Promise<void> {
    const found = touched.parse(
      await context.watch("touched", async ({ host, signal }) => {
        const workspace = host.workspace(this.#place.root);
        const isKnown = (each: FoundText) => this.#isKnownFind(bounded(each));
        const came = bounded(await workspace.readUnknown(this.path, isKnown, signal));
        return came.problem === undefined ? (came.text ?? "") : { problem: came.problem };
      }),
    );
    if (typeof found !== "string") return this.#block(found.problem);
    if (this.#blocked !== undefined) this.#clear();
    if (!this.#isKnown(found)) this.#find(found);
  }

  #next(): { readonly text: string; readonly path: string; readonly shown: string | undefined } {
    const { format, team, directory } = this.#place;
    const view = { team, tasks: this.#board.tasks, fresh: this.#taken.map(({ id }) => id) };
    if (this.#fault === undefined)
      return { text: format.write(this.#text, view), path: this.path, shown: this.#text };
    const path = `${directory}/${format.file.replace(".", ".rejected.")}`;
    return { text: format.write(undefined, view), path, shown: this.#beside };
  }

  #wrote(text: string): void {
    if (this.#fault !== undefined) {
      this.#beside = text;
      return;
    }
    this.#text = text;
    this.#remember(text);
  }

  #find(text: string): void {
    const { format } = this.#place;
    const reading =
      text.length > MAX_CHARS
        ? ({ status: "unreadable", problem: TOO_LONG } as const)
        : format.read(text);
    if (reading.status === "unreadable") {
      this.#clear();
      this.#unreadable = text;
      this.#meet(reading.problem);
      return;
    }
    this.#clear();
    this.#takeIn(reading.tasks);
    this.#text = text;
  }

  #block(problem: string): void {
    if (problem === this.#blocked) return;
    this.#clear();
    this.#blocked = problem;
    this.#meet(problem);
  }

  #meet(problem: string): void {
    this.#fault = { problem, beside: this.#place.format.file.replace(".", ".rejected.") };
    if (this.#isPrepared) this.#onFault(this.#fault);
  }

  #clear(): void {
    this.#unreadable = undefined;
    this.#blocked = undefined;
    this.#fault = undefined;
  }

  #takeIn(found: readonly WrittenTask[]): void {
    const waiting = [...this.#taken];
    const tasks = found.map((task) => {
      if (task.id !== undefined) return task;
      const at = waiting.findIndex(({ print }) => print === printOf(task));
      const [known] = at < 0 ? [] : waiting.splice(at, 1);
      return known === undefined ? task : { ...task, id: known.id ?? REFUSED };
    });
    const numbers = this.#take(
      editsOf(
        this.#written,
        tasks.filter(({ id }) => id !== REFUSED),
      ),
    );
    const numbered = tasks.map((task) => ({
      ...task,
      id: task.id ?? numbers.get(task) ?? REFUSED,
    }));
    this.#taken = found.flatMap((task, index) => {
      const { id = REFUSED } = numbered[index] ?? {};
      return task.id === undefined
        ? [{ print: printOf(task), id: id === REFUSED ? null : id }]
        : [];
    });
    this.#push(numbered.filter(({ id }) => id !== REFUSED));
  }

  #remember(text: string): void {
    const reading = this.#place.format.read(text);
    if (reading.status !== "read") return;
    // Lines that were refused stand there without a number still.
    this.#taken = this.#taken.filter(({ id }) => id === null);
    this.#push(reading.tasks.filter(({ id }) => id !== undefined));
  }

  #push(tasks: readonly WrittenTask[]): void {
    this.#written.push(tasks);
    if (this.#written.length > MOST_REMEMBERED) this.#written.shift();
  }

  #isKnownFind(found: FoundText): boolean {
    if (found.problem !== undefined) return found.problem === this.#blocked;
    return this.#blocked === undefined && this.#isKnown(found.text);
  }

  /** A file that is gone or empty is nobody's work: it is written again with the next change. */
  #isKnown(text: string | undefined): boolean {
    if (text === undefined || text.trim() === "") return true;
    return text === this.#text || text === this.#coming || text === this.#unreadable;
  }
}

/** No task has this number. */
const REFUSED = 0;

interface Taken {
  readonly print: string;
  readonly id: number | null;
}

/** What tells a line without a number from others. */
function printOf({ title, owner, after, status }: WrittenTask): string {
  return JSON.stringify([title, owner, after, status]);
}

interface Exchange {
  readonly root: string;
  readonly path: string;
  readonly text: string;
  readonly shown: string | undefined;
  /** Path of the file itself. */
  readonly main: string;
  readonly unreadable: string | undefined;
  /** Why it could not be read at all, as far as that has been told. */
  readonly blocked: string | undefined;
}

/** Writes a text, unless somebody has changed the file meanwhile: then that is what was found. */
async function exchange(
  { host, signal }: StepCall,
  { root, path, text, shown, main, unreadable, blocked }: Exchange,
): Promise<z.output<typeof exchanged>> {
  const workspace = host.workspace(root);
  const found = await other(workspace, main, { known: [text, shown, unreadable], signal });
  if (found.problem !== undefined && found.problem !== blocked)
    return { status: "blocked", problem: found.problem };
  if (found.problem === undefined && blocked !== undefined) return { status: "freed" };
  if (found.problem === undefined && found.text !== undefined)
    return { status: "found", text: found.text };
  const isKnown = (there: string | undefined) =>
    there === undefined || there.trim() === "" || [text, shown, unreadable].includes(there);
  try {
    const replaced = await workspace.replaceText(path, text, { isKnown, signal });
    return replaced === undefined ? { status: "written" } : { status: "replaced", text: replaced };
  } catch (error) {
    // Where there is no room for the list at all, the journal has it.
    if (blocked === undefined || !isFileFault(error)) throw error;
    return { status: "written" };
  }
}

/** What the file holds, if that is something that nobody knows of. Only such a text may be half of one. */
async function other(
  workspace: Workspace,
  path: string,
  {
    known,
    signal,
  }: { readonly known: readonly (string | undefined)[]; readonly signal: AbortSignal },
): Promise<FoundText> {
  const isOther = (text: string) => text.trim() !== "" && !known.includes(text);
  try {
    if (!(await workspace.exists(path)) || !isOther(await workspace.readText(path)))
      return { text: undefined };
    const text = (await workspace.readSettled(path, signal)) ?? "";
    return bounded({ text: isOther(text) ? text : undefined });
  } catch (error) {
    if (!isFileFault(error)) throw error;
    return { problem: toErrorReport(error).message };
  }
}

/** A text that is too long for the journal is as good as none. */
function bounded(found: FoundText): FoundText {
  const isTooLong = found.problem === undefined && (found.text ?? "").length > MAX_CHARS;
  return isTooLong ? { problem: TOO_LONG } : found;
}

/** Whether it is about what stands in the place of a file, and not about the disk. */
function isFileFault(error: unknown): boolean {
  const isOfFile = error instanceof TroupeError && FILE_FAULTS.has(error.code);
  return isOfFile && findStorageFault(error) === undefined;
}

const TOO_LONG = `it has more than ${MAX_CHARS} characters`;
const FILE_FAULTS: ReadonlySet<unknown> = new Set(["HOST_FILE_FAILED", "HOST_PATH_OUTSIDE"]);
