import { toErrorReport } from "../../foundation/errors.ts";
import type { ListEdit } from "./person-edit.ts";
import { isClosed, ownerOf } from "./task.ts";
import type { TaskBoard } from "./task-board.ts";
import type { WrittenTask } from "./written-list.ts";

/** Whose changes these are, and who hears of those that are refused. */
export interface Editor {
  readonly by: string;
  /** Holder of a task that is marked as being done and has no owner. Defaults to `by`. */
  readonly holder?: string;
  readonly refuse: (problem: string) => void;
  /** Whether a task may be marked as being done by this one, who is not told to do it. Defaults to yes. */
  readonly mayBegin?: (owner: string) => boolean;
}

/** Does to the tasks what somebody did to the list; the numbers that added tasks got, null for those that were refused. */
export function applyEdits(
  board: TaskBoard,
  edits: readonly ListEdit[],
  editor: Editor,
): ReadonlyMap<WrittenTask, number | null> {
  const numbers = new Map<WrittenTask, number | null>();
  const attempt = (what: string, act: () => void) => {
    try {
      act();
    } catch (error) {
      editor.refuse(`${what}: ${toErrorReport(error).message}`);
    }
  };
  const added = edits.flatMap((edit) => (edit.kind === "add" ? [edit.task] : []));
  // First all of them, so that they may name each other.
  for (const task of added) {
    numbers.set(task, null);
    attempt(`"${task.title}" is not added`, () => void numbers.set(task, add(board, task, editor)));
  }
  for (const task of added) {
    const id = numbers.get(task) ?? undefined;
    if (id !== undefined) attempt(`#${id}`, () => void changeTask(board, { ...task, id }, editor));
  }
  for (const edit of edits) {
    if (edit.kind === "change")
      attempt(`#${edit.id}`, () => changeTask(board, { ...edit.fields, id: edit.id }, editor));
    if (edit.kind === "remove") attempt(`#${edit.id}`, () => remove(board, edit.id, editor.by));
  }
  return numbers;
}

function add(board: TaskBoard, { id, title, owner }: WrittenTask, { by }: Editor): number {
  if (id !== undefined && board.has(id)) {
    board.change(id, { isListed: true }, by);
    return id;
  }
  return board.create({ id, title, owner }, by).id;
}

interface WantedChange extends Partial<Omit<WrittenTask, "id">> {
  readonly id: number;
}

/** Changes what differs. Raises TEAM_* errors. */
function changeTask(
  board: TaskBoard,
  wanted: WantedChange,
  { by, mayBegin, holder: unnamed = by }: Editor,
): void {
  const { id, title, after, owner, status } = wanted;
  const task = board.get(id);
  if (after !== undefined && after.join() !== task.after.join()) board.change(id, { after }, by);
  if (title !== undefined && title !== task.title) board.change(id, { title }, by);
  if (owner !== undefined && owner !== ownerOf(task) && !isClosed(task)) {
    const back = task.status === "in_progress" ? ({ status: "pending" } as const) : {};
    board.change(id, { assigned: owner, ...back }, by);
  }
  if (status === undefined || status === board.get(id).status) return;
  if (status !== "in_progress") {
    board.change(id, { status }, by);
    return;
  }
  const holder = owner ?? ownerOf(board.get(id)) ?? unnamed;
  if (mayBegin === undefined || mayBegin(holder)) board.claim(holder, id);
}

function remove(board: TaskBoard, id: number, by: string): void {
  const task = board.get(id);
  board.change(
    id,
    isClosed(task) ? { isListed: false } : { isListed: false, status: "cancelled" },
    by,
  );
}
