import { z } from "zod";
import { isRecord, type Json } from "../../foundation/json.ts";
import { ownerOf, TASK_STATUSES, type TeamTask } from "./task.ts";
import type { ListFormat, ListReading, ListView, WrittenTask } from "./written-list.ts";

// J1: keys that are not ours stay, and so does the way in which the file is indented.
// J2: a text in which nothing of ours has changed stays as it is.

const writtenTask = z.looseObject({
  id: z.int().min(1).optional(),
  title: z.string().trim().min(1),
  status: z.enum(TASK_STATUSES).default("pending"),
  owner: z.string().min(1).nullish(),
  after: z.array(z.int().min(1)).default([]),
});

const writtenFile = z.looseObject({ version: z.literal(1), tasks: z.array(writtenTask) });

type WrittenFile = z.output<typeof writtenFile>;

/** `{version: 1, team, tasks: [{id, title, status, owner, after, result}]}` */
export const jsonList: ListFormat = { file: "tasks.json", read, write };

function read(text: string): ListReading {
  const file = parse(text);
  if (typeof file === "string") return { status: "unreadable", problem: file };
  const seen = new Set<number>();
  for (const { id } of file.tasks) {
    if (id !== undefined && seen.has(id))
      return { status: "unreadable", problem: `#${id} stands there twice` };
    if (id !== undefined) seen.add(id);
  }
  return { status: "read", tasks: file.tasks.map(toWritten) };
}

function toWritten({ id, title, status, owner = null, after }: WrittenFile["tasks"][number]) {
  return { id, title, status, owner, after: [...new Set(after)] } satisfies WrittenTask;
}

/** The file, or why it is none. */
function parse(text: string): WrittenFile | string {
  try {
    const value: unknown = JSON.parse(text);
    const parsed = writtenFile.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    return `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "it does not fit"}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function write(text: string | undefined, { team, tasks, fresh }: ListView): string {
  if (text === undefined) return print({ version: 1, team, tasks: listed(tasks).map(toJsonTask) });
  const value: unknown = JSON.parse(text);
  const file = isRecord(value) ? value : {};
  const given = Array.isArray(file["tasks"]) ? file["tasks"].filter(isRecord) : [];
  const numbers = [...fresh];
  const shown = new Set<number>();
  const kept = given.map((entry) => {
    const id = typeof entry["id"] === "number" ? entry["id"] : (numbers.shift() ?? undefined);
    const task = tasks.find((each) => each.id === id);
    if (task === undefined) return entry;
    shown.add(task.id);
    return { ...entry, ...toJsonTask(task) };
  });
  const missing = listed(tasks).filter(({ id }) => !shown.has(id));
  const changed = { ...file, tasks: [...kept, ...missing.map(toJsonTask)] };
  if (JSON.stringify(changed) === JSON.stringify(file)) return text;
  return print(changed, indentOf(text));
}

function listed(tasks: readonly TeamTask[]): readonly TeamTask[] {
  return tasks.filter(({ isListed }) => isListed);
}

function toJsonTask(task: TeamTask): { readonly [key: string]: Json } {
  const { id, title, status, after, result } = task;
  return { id, title, status, owner: ownerOf(task), after: [...after], result };
}

function indentOf(text: string): string {
  return /^[{[]\r?\n([ \t]+)/.exec(text)?.[1] ?? "  ";
}

function print(value: unknown, indent = "  "): string {
  return `${JSON.stringify(value, undefined, indent)}\n`;
}
