import type { TaskStatus, TeamTask } from "./task.ts";
import { ownerOf } from "./task.ts";
import type { ListFormat, ListReading, ListView, WrittenTask } from "./written-list.ts";

// L1: of a line of ours only what has changed is written anew: its mark, its number, or all behind the number.
// L2: every other line, line ends included, stays as it is and where it is.

const MARKS = {
  " ": "pending",
  "~": "in_progress",
  x: "completed",
  X: "completed",
  "!": "failed",
  "-": "cancelled",
} as const satisfies { readonly [mark: string]: TaskStatus };

const MARK_OF = {
  pending: " ",
  in_progress: "~",
  completed: "x",
  failed: "!",
  cancelled: "-",
} as const satisfies { readonly [status in TaskStatus]: string };

const TASK_LINE = /^(\s*[-*+][ \t]+\[)([ ~xX!-])(\][ \t]+)((?:#\d{1,9}(?:[ \t]+|$))?)(.*)$/;
const NOTES = /^(.*?)(?:[ \t]+|^)\(([^()]*)\)[ \t]*$/;
const FENCE = /^\s*(```|~~~)/;

/** A line of a list. */
interface Line {
  /** Without its end. */
  readonly text: string;
  readonly end: string;
  readonly task: LineTask | undefined;
}

interface LineTask extends WrittenTask {
  readonly before: string;
  readonly mark: string;
  readonly between: string;
  /** The number with the space behind it, as it is written. */
  readonly number: string;
  /** All behind the number. */
  readonly rest: string;
}

/** `- [ ] #1 title (owner: x; after: #2)` */
export const markdownList: ListFormat = {
  file: "tasks.md",
  read,
  write,
};

function read(text: string): ListReading {
  if (text.includes("\0") || text.includes("\uFFFD"))
    return { status: "unreadable", problem: "it is no text" };
  const seen = new Map<number, number>();
  const tasks: WrittenTask[] = [];
  for (const [index, { task }] of linesOf(text).entries()) {
    if (task === undefined) continue;
    const { id, title, status, owner, after } = task;
    if (title === "") return unreadable(index, "the task has no title");
    if (id === 0) return unreadable(index, "tasks count from #1");
    const first = id === undefined ? undefined : seen.get(id);
    if (first !== undefined) return unreadable(index, `#${id} stands in line ${first}, too`);
    if (id !== undefined) seen.set(id, index + 1);
    tasks.push({ id, title, status, owner, after });
  }
  return { status: "read", tasks };
}

function unreadable(index: number, problem: string): ListReading {
  return { status: "unreadable", problem: `line ${index + 1}: ${problem}` };
}

function write(text: string | undefined, { team, tasks, fresh }: ListView): string {
  const given = text ?? headOf(team);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const numbers = [...fresh];
  const shown = new Set<number>();
  const lines = linesOf(given).map((line) => {
    const id =
      line.task?.id ?? (line.task === undefined ? undefined : (numbers.shift() ?? undefined));
    const task = id === undefined ? undefined : byId.get(id);
    if (line.task === undefined || task === undefined) return line.text + line.end;
    shown.add(task.id);
    return rewrite(line.task, task) + line.end;
  });
  const missing = tasks.filter(({ id, isListed }) => isListed && !shown.has(id));
  return insert(lines, missing, given.includes("\r\n") ? "\r\n" : "\n");
}

function headOf(team: string): string {
  return `# Tasks of team ${team}\n\n`;
}

/** Behind the last task, else at the end. */
function insert(lines: readonly string[], missing: readonly TeamTask[], end: string): string {
  if (missing.length === 0) return lines.join("");
  const added = missing.map((task) => `- [${MARK_OF[task.status]}] ${behind(task)}${end}`);
  const last = lines.findLastIndex((line) => TASK_LINE.test(line.replace(/\r?\n$/, "")));
  const at = last < 0 ? lines.length : last + 1;
  const before = lines.slice(0, at).join("");
  const gap = before === "" || before.endsWith("\n") ? "" : end;
  return before + gap + added.join("") + lines.slice(at).join("");
}

function rewrite(line: LineTask, task: TeamTask): string {
  const mark = line.status === task.status ? line.mark : MARK_OF[task.status];
  const isSame =
    line.title === task.title &&
    line.owner === ownerOf(task) &&
    line.after.length === task.after.length &&
    line.after.every((id, index) => id === task.after[index]);
  const number = line.number === "" ? `#${task.id} ` : line.number;
  return line.before + mark + line.between + (isSame ? number + line.rest : behind(task));
}

function behind(task: TeamTask): string {
  const owner = ownerOf(task);
  const notes = [
    ...(owner === null ? [] : [`owner: ${owner}`]),
    ...(task.after.length === 0 ? [] : [`after: ${task.after.map((id) => `#${id}`).join(", ")}`]),
  ];
  const told = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
  return `#${task.id} ${task.title}${told}`;
}

function linesOf(text: string): readonly Line[] {
  let fence: string | undefined;
  return [...text.matchAll(/([^\n]*?)(\r?\n|$)/g)].flatMap(([whole, body = "", end = ""]) => {
    if (whole === "") return [];
    const [, mark] = FENCE.exec(body) ?? [];
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (mark === fence) fence = undefined;
    const task = fence === undefined && mark === undefined ? taskOf(body) : undefined;
    return [{ text: body, end, task }];
  });
}

function taskOf(text: string): LineTask | undefined {
  const match = TASK_LINE.exec(text);
  if (match === null) return undefined;
  const [, before = "", mark = "", between = "", number = "", rest = ""] = match;
  const status = statusOf(mark);
  if (status === undefined) return undefined;
  const id = number === "" ? undefined : Number(number.trim().slice(1));
  return { ...{ before, mark, between, number, rest, id, status }, ...readRest(rest) };
}

function statusOf(mark: string): TaskStatus | undefined {
  return Object.entries(MARKS).find(([known]) => known === mark)?.[1];
}

function readRest(rest: string): Pick<WrittenTask, "title" | "owner" | "after"> {
  const [, title = "", inner = ""] = NOTES.exec(rest) ?? [];
  const notes = readNotes(inner);
  return notes === undefined
    ? { title: rest.trim(), owner: null, after: [] }
    : { title: title.trim(), ...notes };
}

/** `owner: x; after: #2, #3`; undefined when it is something else. */
function readNotes(inner: string): Pick<WrittenTask, "owner" | "after"> | undefined {
  let owner: string | null = null;
  let after: readonly number[] | undefined;
  const parts = inner.split(";").map((part) => part.trim());
  for (const part of parts) {
    const [, key, value = ""] = /^(owner|after)\s*:\s*(.*)$/.exec(part) ?? [];
    if (key === "owner" && owner === null && value !== "") owner = value;
    else if (key === "after" && after === undefined) after = readNumbers(value);
    else return undefined;
    if (key === "after" && after === undefined) return undefined;
  }
  return { owner, after: after ?? [] };
}

function readNumbers(value: string): readonly number[] | undefined {
  const words = value.split(/[\s,]+/).filter((word) => word !== "");
  const numbers = words.map((word) =>
    /^#?\d{1,9}$/.test(word) ? Number(word.replace("#", "")) : 0,
  );
  return numbers.length === 0 || numbers.includes(0) ? undefined : [...new Set(numbers)];
}

/** Why a title cannot stand in a line; undefined when it can. */
export function titleProblem(title: string): string | undefined {
  const { owner, after } = readRest(title);
  if (owner !== null || after.length > 0) return "a title cannot end in (owner: …) or (after: …)";
  return undefined;
}
