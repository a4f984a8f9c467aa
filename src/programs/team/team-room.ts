import type { Json } from "../../foundation/json.ts";
import { BY_FILE, TASK_NOTE, type TeamTask, toNote } from "./task.ts";
import { TaskBoard } from "./task-board.ts";
import { notificationText, type TeamPlace } from "./team-prompts.ts";
import type { TeamSettings } from "./team-settings.ts";

/** Whoever changes a task by hand knows what it has changed. */
const BY_PEOPLE: ReadonlySet<string> = new Set(["user", BY_FILE]);

// Owns what all parts of a team share: its tasks, what the leader has not been told, and who waits for a change.
/** A team at work. */
export class TeamRoom {
  readonly settings: TeamSettings;
  readonly place: TeamPlace;
  readonly board: TaskBoard;
  /** How often a task has changed. */
  changes = 0;
  /** Whether the team has ended. */
  isOver = false;
  readonly #unread = new Map<string, Map<string, number>>();
  readonly #untold = new Set<number>();
  readonly #note: (kind: string, data: Json) => void;
  #news: string[] = [];
  #change = Promise.withResolvers<void>();
  #onTask: (task: TeamTask, by: string) => void = () => {};

  /** Notes every change of a task. */
  constructor(settings: TeamSettings, place: TeamPlace, note: (kind: string, data: Json) => void) {
    this.#note = note;
    this.settings = settings;
    this.place = place;
    this.board = new TaskBoard((task, by) => this.#changed(task, by));
  }

  /** Resolves at the next change of anything. */
  get changed(): Promise<void> {
    return this.#change.promise;
  }

  /** Lets those look again who wait for a change. */
  touch(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers();
    resolve();
  }

  /** Hears of every change of a task at once. */
  onTask(hear: (task: TeamTask, by: string) => void): void {
    this.#onTask = hear;
  }

  /** Something that the leader has to hear at once. */
  tell(news: string): void {
    this.#news.push(news);
    this.touch();
  }

  get hasNews(): boolean {
    return this.#news.length > 0;
  }

  /** What the leader has not been told, from then on told. */
  takeNews(): { readonly news: readonly string[]; readonly tasks: readonly TeamTask[] } {
    const news = this.#news;
    const tasks = this.board.tasks.filter(({ id }) => this.#untold.has(id));
    this.#news = [];
    this.#untold.clear();
    return { news, tasks };
  }

  /** A message waits for an agent. */
  wrote(from: string, to: string): void {
    const senders = this.#unread.get(to) ?? new Map<string, number>();
    senders.set(from, (senders.get(from) ?? 0) + 1);
    this.#unread.set(to, senders);
  }

  /** What waits for an agent, in words; from then on told. */
  takeNotification(agent: string): string {
    const unread = this.#unread.get(agent) ?? new Map<string, number>();
    this.#unread.delete(agent);
    return this.settings.notifies ? notificationText(unread) : "";
  }

  #changed(task: TeamTask, by: string): void {
    const { leader } = this.settings;
    this.changes += 1;
    this.#note(TASK_NOTE, toNote(task, by));
    const { status } = task;
    if (by !== leader.id && status !== "in_progress" && status !== "pending")
      this.#untold.add(task.id);
    if (by !== leader.id && !BY_PEOPLE.has(by) && status === "failed")
      this.tell(`Task #${task.id} has failed and nobody takes it any more.`);
    this.#onTask(task, by);
    this.touch();
  }
}
