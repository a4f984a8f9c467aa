import type { AgentHandle } from "../../contracts/agent.ts";
import type { Context } from "../../contracts/ports/context.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import { noSignal } from "../errors.ts";
import type { Demand } from "../talk/hear-turn.ts";
import type { GiveSketched, SaidText } from "../talk/talk-turn.ts";
import type { TeamExit } from "./answer-call.ts";
import { exitRefused } from "./errors.ts";
import { markdownList } from "./markdown-list.ts";
import { applyEdits } from "./person-changes.ts";
import { editsOfText } from "./person-edit.ts";
import { changeBlocks, reminderText, standText } from "./team-prompts.ts";
import type { TeamRoom } from "./team-room.ts";

// Owns the turns of the leader: it is woken by news, by messages, and when nothing goes on by itself.
// L1: nothing ends a team whose tasks are open but force. L2: a leader that changes nothing when it is needed is asked
// once more; then it has failed.

const MOST_IDLE_TURNS = 2;

/** Its DONE counts when it comes, and is not asked for. */
const DEMAND: Demand = {
  kinds: ["done"],
  form: "DONE: <what came of the goal>",
  plain: () => undefined,
  isEnough: async () => true,
};

/** How the leader let the team end. */
export type LeaderEnd =
  | { readonly status: "exit"; readonly exit: TeamExit }
  /** It did nothing although nobody else could, and did not say that it was done either. */
  | { readonly status: "stalled"; readonly text: string; readonly error: ErrorReport }
  | { readonly status: "failed"; readonly error: ErrorReport };

/** What is done for the leader, and what it has to know of its workers. */
interface LeaderDoor {
  readonly give: GiveSketched;
  /** How it is told its conventions. */
  readonly form: () => AgentHandle["conventions"];
  readonly crew: { readonly isBusy: boolean; giveBackClaims(agent: string): void };
}

/** The leader of a team. */
export class TeamLeader {
  readonly #room: TeamRoom;
  readonly #door: LeaderDoor;
  #exit: TeamExit | undefined;
  #idleTurns = 0;

  constructor(room: TeamRoom, door: LeaderDoor) {
    this.#room = room;
    this.#door = door;
  }

  /** It has called for the end, and may have it. */
  exit(exit: TeamExit): void {
    this.#exit = exit;
  }

  /** Gives it turns until the team is to end. */
  async lead(branch: Context): Promise<LeaderEnd> {
    const { id } = this.#room.settings.leader;
    for (;;) {
      const before = this.#room.changes;
      const turn = { ...this.#told(), agent: id, demand: DEMAND, announce: "text" } as const;
      const end = await this.#door.give(branch, turn);
      this.#door.crew.giveBackClaims(id);
      if (end.status !== "completed") {
        const error = end.status === "failed" ? end.error : toErrorReport(new Error(end.status));
        return { status: "failed", error };
      }
      this.#takeLines(end.done);
      if (this.#exit !== undefined) return { status: "exit", exit: this.#exit };
      const summary = this.#doneWith(end.done);
      if (summary !== undefined) return { status: "exit", exit: { summary, forced: false } };
      const isIdle = this.#room.changes === before && !this.#door.crew.isBusy;
      this.#idleTurns = isIdle ? this.#idleTurns + 1 : 0;
      if (this.#idleTurns >= MOST_IDLE_TURNS) {
        const error = toErrorReport(noSignal({ agent: id, step: id, marker: "DONE" }));
        return { status: "stalled", text: end.done.output, error };
      }
      await this.#untilNeeded(branch);
    }
  }

  #told() {
    const { board, place } = this.#room;
    const { news, tasks } = this.#room.takeNews();
    return {
      now: [reminderText(place), ...news, standText(board.tasks)],
      blocks: changeBlocks(tasks),
    };
  }

  /** What it is done with; undefined when it is not, or may not be yet. */
  #doneWith({ signals, output }: SaidText): string | undefined {
    const { board } = this.#room;
    const open = board.open.map(({ id }) => id);
    const done = signals.find(({ kind }) => kind === "done");
    const isTold = this.#door.form() !== "none";
    if (done === undefined && (isTold || open.length > 0)) return undefined;
    if (open.length === 0) return done?.value ?? output;
    this.#room.tell(`You said DONE, but ${exitRefused({ open }).message}.`);
    return undefined;
  }

  /** Whoever has no tools writes its tasks as the list has them. */
  #takeLines({ text }: SaidText): void {
    const { board, settings } = this.#room;
    const { id } = settings.leader;
    if (this.#door.form() === "tools") return;
    const reading = markdownList.read(text);
    if (reading.status === "unreadable") {
      if (text.includes("[ ]")) this.#room.tell(`Your tasks cannot be read: ${reading.problem}.`);
      return;
    }
    const refuse = (problem: string) => this.#room.tell(`Refused: ${problem}.`);
    applyEdits(board, editsOfText(board.tasks, reading.tasks), { by: id, refuse });
  }

  /** Resolves when there is something that only the leader can deal with. */
  async #untilNeeded(branch: Context): Promise<void> {
    const { leader } = this.#room.settings;
    const woken = branch.scope("woken", (scope) => scope.woken(leader.id));
    const message = woken.result.then(() => "message" as const);
    message.catch(() => {});
    try {
      while (!this.#room.hasNews && this.#door.crew.isBusy) {
        const { changed } = this.#room;
        const what = await Promise.race([message, changed.then(() => "changed" as const)]);
        if (what === "message") return;
      }
    } finally {
      woken.cancel("it has a turn");
    }
  }
}
