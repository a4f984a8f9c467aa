import { z } from "zod";
import type { Workspace } from "../../contracts/host.ts";
import type { Context, StepCall } from "../../contracts/ports/context.ts";
import { editsOf, type ListEdit } from "./person-edit.ts";
import type { TaskBoard } from "./task-board.ts";
import type { ListFormat, WrittenTask } from "./written-list.ts";

// Owns the file that shows the tasks of a team, and what people write into it.
// F1: what the program knows of the file comes from the journal: what it wrote, and what was found there.
// F2: a text that Troupe did not write is never overwritten before it was taken in.
// F3: a file that cannot be read is left; the list is written beside it until it can.

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
]);

/** The file of a list. */
export class ListFile {
  readonly #place: ListPlace;
  readonly #board: TaskBoard;
  readonly #take: TakeEdits;
  readonly #warn: (text: string) => void;
  /** What the file holds as far as is known; undefined before there is one. */
  #text: string | undefined;
  /** A text that could not be read. */
  #unreadable: string | undefined;
  #beside: string | undefined;
  /** Lines without a number that were taken in, in their order, until the file shows their numbers. */
  #taken: readonly Taken[] = [];
  readonly #written: (readonly WrittenTask[])[] = [];
  /** What is being written. */
  #coming: string | undefined;

  constructor(
    place: ListPlace,
    { board, take, warn }: { board: TaskBoard; take: TakeEdits; warn: (text: string) => void },
  ) {
    this.#place = place;
    this.#board = board;
    this.#take = take;
    this.#warn = warn;
  }

  /** Path of the file. */
  get path(): string {
    return `${this.#place.directory}/${this.#place.format.file}`;
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
          }),
        ),
      );
      this.#coming = undefined;
      if (end.status !== "found") this.#wrote(text);
      if (end.status === "written" || this.#isKnown(end.text)) continue;
      this.#find(end.text);
      if (end.status === "found") continue;
      // The file shows the list, whatever was read.
      this.#unreadable = undefined;
      this.#text = text;
    }
  }

  /** Resolves once somebody else has written into the file; `sync` takes that in. */
  async untilTouched(context: Context): Promise<void> {
    const text = await context.watch("touched", async ({ host, signal }) => {
      const workspace = host.workspace(this.#place.root);
      return (
        (await workspace.readUnknown(this.path, (found) => this.#isKnown(found), signal)) ?? ""
      );
    });
    if (!this.#isKnown(text)) this.#find(text);
  }

  #next(): { readonly text: string; readonly path: string; readonly shown: string | undefined } {
    const { format, team, directory } = this.#place;
    const view = { team, tasks: this.#board.tasks, fresh: this.#taken.map(({ id }) => id) };
    if (this.#unreadable === undefined)
      return { text: format.write(this.#text, view), path: this.path, shown: this.#text };
    const path = `${directory}/${format.file.replace(".", ".rejected.")}`;
    return { text: format.write(undefined, view), path, shown: this.#beside };
  }

  #wrote(text: string): void {
    if (this.#unreadable !== undefined) {
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
        ? ({ status: "unreadable", problem: `it has more than ${MAX_CHARS} characters` } as const)
        : format.read(text);
    if (reading.status === "unreadable") {
      const beside = format.file.replace(".", ".rejected.");
      this.#warn(
        `${this.path} is left as it is: ${reading.problem}; until it can be read the tasks are in ${beside}`,
      );
      this.#unreadable = text;
      return;
    }
    this.#unreadable = undefined;
    this.#takeIn(reading.tasks);
    this.#text = text;
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
}

/** Writes a text, unless somebody has changed the file meanwhile: then that is what was found. */
async function exchange(
  { host, signal }: StepCall,
  { root, path, text, shown, main, unreadable }: Exchange,
): Promise<z.output<typeof exchanged>> {
  const workspace = host.workspace(root);
  const found = await other(workspace, main, { known: [text, shown, unreadable], signal });
  if (found !== undefined) return { status: "found", text: found };
  const isKnown = (there: string | undefined) =>
    there === undefined || there.trim() === "" || [text, shown, unreadable].includes(there);
  const replaced = await workspace.replaceText(path, text, { isKnown, signal });
  return replaced === undefined ? { status: "written" } : { status: "replaced", text: replaced };
}

/** What the file holds, if that is something that nobody knows of. Only such a text may be half of one. */
async function other(
  workspace: Workspace,
  path: string,
  {
    known,
    signal,
  }: { readonly known: readonly (string | undefined)[]; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const isOther = (text: string) => text.trim() !== "" && !known.includes(text);
  if (!(await workspace.exists(path)) || !isOther(await workspace.readText(path))) return undefined;
  const text = (await workspace.readSettled(path, signal)) ?? "";
  return isOther(text) ? text : undefined;
}
