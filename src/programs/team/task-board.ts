import { nothingToClaim, taskCycle, taskRefused, tasksTooMany, taskUnknown } from "./errors.ts";
import { isClosed, type TeamTask } from "./task.ts";

// Owns the tasks of a team: what may become of each. Its file is a view of this.
// B1: an id is given once. B2: only one holds a task. B3: nobody waits in a circle. B4: every change is told.

const MOST_TASKS = 1000;
const MAX_RESULT_CHARS = 16_384;
/** After so many failures nobody takes a task any more. */
const MOST_FAILURES = 2;

/** What makes a task. */
export interface NewTask {
  readonly title: string;
  readonly after?: readonly number[] | undefined;
  readonly owner?: string | null | undefined;
  /** Defaults to the next one. */
  readonly id?: number | undefined;
}

/** What somebody changes in a task. */
export type TaskPatch = Partial<
  Pick<TeamTask, "title" | "status" | "after" | "assigned" | "result" | "isListed">
>;

/** The tasks of a team. */
export class TaskBoard {
  readonly #tasks = new Map<number, TeamTask>();
  readonly #onChange: (task: TeamTask, by: string) => void;
  #lastId = 0;

  /** Tells of every change. */
  constructor(onChange: (task: TeamTask, by: string) => void) {
    this.#onChange = onChange;
  }

  /** All tasks, by id. */
  get tasks(): readonly TeamTask[] {
    return [...this.#tasks.values()].sort((left, right) => left.id - right.id);
  }

  /** Those that are pending or in progress. */
  get open(): readonly TeamTask[] {
    return this.tasks.filter((task) => !isClosed(task));
  }

  /** Raises TEAM_TASK_UNKNOWN. */
  get(id: number): TeamTask {
    const task = this.#tasks.get(id);
    if (task === undefined) throw taskUnknown({ task: id, known: this.#tasks.size });
    return task;
  }

  has(id: number): boolean {
    return this.#tasks.has(id);
  }

  /** Raises TEAM_TASKS_TOO_MANY, TEAM_TASK_UNKNOWN, TEAM_TASK_CYCLE. */
  create(
    { title, after = [], owner = null, id = this.#lastId + 1 }: NewTask,
    by: string,
  ): TeamTask {
    if (this.#tasks.size >= MOST_TASKS) throw tasksTooMany({ limit: MOST_TASKS });
    this.#assertAfter(id, after);
    this.#lastId = Math.max(this.#lastId, id);
    return this.#set(
      {
        ...{ id, title, status: "pending", assigned: owner, holder: null },
        ...{ after: [...new Set(after)], result: null, failures: 0, isListed: true },
      },
      by,
    );
  }

  /** Raises TEAM_TASK_UNKNOWN, TEAM_TASK_CYCLE, TEAM_TASK_REFUSED. */
  change(id: number, patch: TaskPatch, by: string): TeamTask {
    const before = this.get(id);
    const { status = before.status, after } = patch;
    if (after !== undefined) this.#assertAfter(id, after);
    if (status === "in_progress" && before.status !== status)
      throw taskRefused({ task: id, problem: "only whoever takes it begins it" });
    const isBack = status === "pending" && before.status !== status;
    const changed: TeamTask = {
      ...before,
      ...patch,
      ...(isBack ? { holder: null, failures: 0, result: null } : {}),
      ...(patch.result == null ? {} : { result: cut(patch.result) }),
    };
    return this.#set(changed, by);
  }

  /** The first task that an agent may take now. */
  claimableFor(agent: string): TeamTask | undefined {
    return this.tasks.find((task) => this.#isClaimable(task, agent));
  }

  /** Tasks that can begin, those included that only one may do. */
  get ready(): readonly TeamTask[] {
    return this.tasks.filter((task) => this.#isReady(task));
  }

  /** Gives a task to an agent; the first one that it may take unless it says which. Raises TEAM_NOTHING_TO_CLAIM, TEAM_TASK_* errors. */
  claim(agent: string, id?: number): TeamTask {
    const wanted = id === undefined ? this.claimableFor(agent) : this.get(id);
    if (wanted === undefined) throw nothingToClaim({});
    const problem = this.#whyNot(wanted, agent);
    if (problem !== undefined) throw taskRefused({ task: wanted.id, problem });
    return this.#set({ ...wanted, status: "in_progress", holder: agent }, agent);
  }

  /** Its holder is done with it. Does nothing where that holds it no more. */
  complete(id: number, holder: string, result: string): void {
    if (!this.isHeld(id, holder)) return;
    const task = this.get(id);
    this.#set({ ...task, status: "completed", result: cut(result) }, holder);
  }

  /** It comes back unfinished; after the second time nobody takes it any more. */
  giveBack(id: number, holder: string, { why, counts }: GivenBack): void {
    if (!this.isHeld(id, holder)) return;
    const task = this.get(id);
    const failures = task.failures + (counts ? 1 : 0);
    const isFailed = failures >= MOST_FAILURES;
    const status = isFailed ? "failed" : "pending";
    const back = { failures, status, result: cut(why), holder: isFailed ? holder : null } as const;
    this.#set({ ...task, ...back }, "troupe");
  }

  /** Nobody has to wait for an agent that is gone. */
  forgetAgent(agent: string): void {
    for (const task of this.open)
      if (task.assigned === agent) this.#set({ ...task, assigned: null }, "troupe");
  }

  isHeld(id: number, holder: string): boolean {
    const task = this.#tasks.get(id);
    return task?.status === "in_progress" && task.holder === holder;
  }

  #isClaimable(task: TeamTask, agent: string): boolean {
    return this.#whyNot(task, agent) === undefined;
  }

  #whyNot(task: TeamTask, agent: string): string | undefined {
    if (task.status !== "pending")
      return task.holder === null ? `it is ${task.status}` : `${task.holder} has it`;
    if (task.assigned !== null && task.assigned !== agent) return `it is kept for ${task.assigned}`;
    const [first] = task.after.filter((id) => this.#tasks.get(id)?.status !== "completed");
    return first === undefined ? undefined : `#${first} comes first`;
  }

  #isReady(task: TeamTask): boolean {
    return this.#isClaimable(task, task.assigned ?? "");
  }

  #assertAfter(id: number, after: readonly number[]): void {
    for (const each of after) if (each !== id) this.get(each);
    const way = this.#wayBack(id, after, [id]);
    if (way === undefined) return;
    throw taskCycle({ task: id, way: way.map((each) => `#${each}`).join(" after ") });
  }

  /** The circle through a task, if it came after these. */
  #wayBack(
    id: number,
    after: readonly number[],
    way: readonly number[],
  ): readonly number[] | undefined {
    const seen = new Set<number>();
    const queue = after.map((each) => ({ each, way: [...way, each] }));
    for (const { each, way: so } of queue) {
      if (each === id) return so;
      if (seen.has(each)) continue;
      seen.add(each);
      for (const next of this.#tasks.get(each)?.after ?? [])
        queue.push({ each: next, way: [...so, next] });
    }
    return undefined;
  }

  #set(task: TeamTask, by: string): TeamTask {
    this.#tasks.set(task.id, task);
    this.#onChange(task, by);
    return task;
  }
}

interface GivenBack {
  readonly why: string;
  /** Whether it counts as a failure of the task. */
  readonly counts: boolean;
}

function cut(text: string): string {
  return text.length > MAX_RESULT_CHARS
    ? `${text.slice(0, MAX_RESULT_CHARS - 1).toWellFormed()}…`
    : text;
}
