import type { AgentSpec } from "../../contracts/agent.ts";
import type { Context } from "../../contracts/ports/context.ts";
import { TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { plainSignal } from "../talk/plain-answer.ts";
import type { GiveSketched } from "../talk/talk-turn.ts";
import { isClosed, type TeamTask } from "./task.ts";
import { taskBlocks, taskText } from "./team-prompts.ts";
import type { TeamRoom } from "./team-room.ts";
import { furtherWorker } from "./team-settings.ts";

// Owns who works on what. Claiming is one step of the program, so that two never get the same task.
// W1: one turn is one task. W2: whoever loses its task is interrupted. W3: a task whose worker is gone is pending again.

const GONE = "AGENT_GONE";
const EXISTS = "AGENT_EXISTS";
const AT_MOST = new Set(["AGENT_LIMIT_RUNNING", "AGENT_LIMIT_TOTAL", "LIMIT_AGENTS"]);

interface Running {
  readonly holder: string;
  readonly cut: (reason: string) => void;
}

/** What is done for the workers. */
interface CrewDoor {
  readonly give: GiveSketched;
  /** Lets one more take part. Rejects with AGENT_LIMIT_* errors. */
  readonly admit: (spec: AgentSpec) => Promise<unknown>;
  readonly isTaken: (id: string) => boolean;
}

/** The workers of a team, and the people who do tasks of it. */
export class TeamCrew {
  readonly #room: TeamRoom;
  readonly #door: CrewDoor;
  readonly #workers = new Map<string, AgentSpec>();
  readonly #gone = new Set<string>();
  readonly #people = new Set(["user"]);
  /** Those that have no task. */
  readonly #free = new Set<string>();
  readonly #running = new Map<number, Running>();
  readonly #lives: Promise<void>[] = [];
  #hired = 0;
  #mayHire = true;

  constructor(room: TeamRoom, door: CrewDoor) {
    this.#room = room;
    this.#door = door;
    for (const spec of room.settings.workers) this.#workers.set(spec.id, spec);
    room.onTask((task, by) => this.#follow(task, by));
  }

  /** Whether somebody works on a task, or is about to. */
  get isBusy(): boolean {
    const { board, settings } = this.#room;
    if (this.#running.size > 0) return true;
    const isHeld = board.open.some(
      ({ status, holder }) => status === "in_progress" && holder !== settings.leader.id,
    );
    return isHeld || board.ready.some((task) => this.#finds(task));
  }

  /** A person has said that a task is somebody's: who is no agent is waited for like any person. */
  expect(owner: string): void {
    if (!this.#workers.has(owner)) this.#people.add(owner);
  }

  knows(agent: string): boolean {
    return this.#workers.has(agent);
  }

  /** A worker takes part no more. */
  left(agent: string): void {
    if (!this.#workers.has(agent) || this.#gone.has(agent)) return;
    this.#gone.add(agent);
    this.#free.delete(agent);
    const { board } = this.#room;
    for (const { id } of board.open)
      board.giveBack(id, agent, { why: `${agent} is gone`, counts: false });
    board.forgetAgent(agent);
    this.#room.tell(`${agent} takes part no more; what it had is pending again.`);
  }

  /** Lets workers and people do tasks until the team is over. */
  async work(branch: Context): Promise<void> {
    for (const worker of this.#workers.keys()) this.#begin(branch, worker);
    while (!this.#room.isOver) {
      this.#askPeople(branch);
      if (!(await this.#hire(branch))) await this.#room.changed;
    }
    await Promise.all(this.#lives);
  }

  /** Cuts off what goes on. */
  stop(reason: string): void {
    for (const { cut } of [...this.#running.values()]) cut(reason);
  }

  #finds({ assigned }: TeamTask): boolean {
    if (assigned !== null) return this.#people.has(assigned) || this.#isHere(assigned);
    return this.#room.settings.isAuto && (this.#mayHire || this.#present.length > 0);
  }

  get #present(): readonly string[] {
    return [...this.#workers.keys()].filter((id) => !this.#gone.has(id));
  }

  #isHere(agent: string): boolean {
    return this.#workers.has(agent) && !this.#gone.has(agent);
  }

  /** Whether one more worker was started. */
  async #hire(branch: Context): Promise<boolean> {
    const { board, settings } = this.#room;
    const waiting = board.ready.filter(({ assigned }) => assigned === null).length;
    const isWanted = settings.isAuto && this.#mayHire && waiting > this.#free.size;
    if (!isWanted || this.#present.length >= settings.maxWorkers) return false;
    const spec = furtherWorker(settings.leader, this.#nextId());
    try {
      await this.#door.admit(spec);
    } catch (error) {
      const { code, message } = toErrorReport(error);
      // An agent that somebody in the team has spawned has that id.
      if (code === EXISTS) return true;
      if (!AT_MOST.has(code)) throw error;
      this.#mayHire = false;
      this.#room.tell(`No further worker can be started: ${message}.`);
      return true;
    }
    this.#workers.set(spec.id, spec);
    this.#begin(branch, spec.id);
    return true;
  }

  #nextId(): string {
    for (;;) {
      this.#hired += 1;
      const id = `worker-${this.#hired}`;
      if (!this.#door.isTaken(id)) return id;
    }
  }

  #begin(branch: Context, worker: string): void {
    this.#free.add(worker);
    const scope = branch.scope(worker, (inner) => this.#live(inner, worker));
    this.#lives.push(scope.result);
  }

  async #live(branch: Context, worker: string): Promise<void> {
    let woken: { readonly result: Promise<void>; cancel(reason: string): void } | undefined;
    const listen = () => {
      woken ??= branch.scope("woken", (scope) => scope.woken(worker));
      return woken.result.then(() => "woken" as const);
    };
    while (!this.#room.isOver && this.#isHere(worker)) {
      const task = this.#claim(worker);
      if (task === undefined) {
        const { changed } = this.#room;
        const what = await Promise.race([changed.then(() => "changed" as const), listen()]);
        if (what === "changed" || this.#room.isOver) continue;
        woken = undefined;
        await this.#hear(branch, worker);
        continue;
      }
      woken?.cancel("it has a task");
      woken?.result.catch(() => {});
      woken = undefined;
      this.#free.delete(worker);
      await this.#do(branch, worker, task);
      if (this.#isHere(worker)) this.#free.add(worker);
    }
    woken?.cancel("the team has ended");
    woken?.result.catch(() => {});
  }

  #claim(worker: string): TeamTask | undefined {
    const { board, settings } = this.#room;
    const task = board.claimableFor(worker);
    if (task === undefined || (!settings.isAuto && task.assigned !== worker)) return undefined;
    return board.claim(worker, task.id);
  }

  async #do(branch: Context, worker: string, task: TeamTask): Promise<void> {
    const { board } = this.#room;
    const end = await this.#untilCut(branch, { worker, task }, (inner) =>
      this.#door.give(inner, {
        ...{ agent: worker, now: [taskText(task)], blocks: taskBlocks(task, board.tasks) },
        demand: { kinds: ["done"], form: "DONE: <what came of it>", plain: plainSignal("done") },
        announce: "none",
      }),
    );
    if (end === undefined) return;
    if (end.status === "completed") board.complete(task.id, worker, end.done.output);
    else {
      const { code, message } =
        end.status === "failed" ? end.error : toErrorReport(new Error(end.status));
      board.giveBack(task.id, worker, { why: message, counts: code !== GONE });
      if (code === GONE) this.left(worker);
    }
    this.giveBackClaims(worker);
  }

  /** What an agent took in its turn and did not close goes back to the list. */
  giveBackClaims(agent: string): void {
    const { board } = this.#room;
    for (const { id } of board.open)
      if (!this.#running.has(id))
        board.giveBack(id, agent, { why: `${agent} ended its turn without it`, counts: false });
  }

  /** Carries something out that is cut off when its task is taken away; then undefined. */
  async #untilCut<Result>(
    branch: Context,
    { worker, task }: { readonly worker: string; readonly task: TeamTask },
    work: (inner: Context) => Promise<Result>,
  ): Promise<Result | undefined> {
    let isCut = false;
    const scope = branch.scope(`task-${task.id}`, work);
    const cut = (reason: string) => {
      isCut = true;
      scope.cancel(reason);
    };
    this.#running.set(task.id, { holder: worker, cut });
    try {
      return await scope.result;
    } catch (error) {
      if (!isCut || !(error instanceof TroupeError) || error.code !== "ENGINE_CANCELLED")
        throw error;
      return undefined;
    } finally {
      this.#running.delete(task.id);
      this.#room.touch();
    }
  }

  /** Somebody wrote to a worker that has no task. */
  async #hear(branch: Context, worker: string): Promise<void> {
    const { leader } = this.#room.settings;
    const now = ["There is news for you. You have no task at the moment."];
    const end = await this.#door.give(branch, {
      ...{ agent: worker, now, announce: "text", announceTo: () => leader.id },
    });
    if (end.status === "failed" && end.error.code === GONE) this.left(worker);
    this.giveBackClaims(worker);
  }

  /** Tasks of a person are questions in the inbox, whose answers are what came of them. */
  #askPeople(branch: Context): void {
    const { board } = this.#room;
    for (const task of board.ready)
      if (task.assigned === "user") {
        const held = board.claim("user", task.id);
        this.#lives.push(this.#ask(branch, held));
      }
  }

  async #ask(branch: Context, task: TeamTask): Promise<void> {
    const { board, place, settings } = this.#room;
    const text = `task #${task.id} of team ${place.team} is yours: ${task.title}`;
    const said = await this.#untilCut(branch, { worker: "user", task }, (inner) =>
      inner.question({ text, agent: settings.leader.id }),
    );
    const answer = said?.answer.trim();
    if (answer !== undefined) board.complete(task.id, "user", answer === "" ? "done" : answer);
  }

  /** Whoever works on a task that is its own no more is interrupted. */
  #follow({ id, status, holder }: TeamTask, by: string): void {
    const running = this.#running.get(id);
    if (running === undefined || by === "troupe") return;
    // An agent that closes its own task is not cut off in its turn; a person is asked no more.
    if (by === running.holder && by !== "user") return;
    if (status !== "in_progress" || holder !== running.holder)
      running.cut(isClosed({ status }) ? `its task is ${status}` : "its task was taken away");
  }
}
