import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import type { SelectorKind, Subscription } from "../../contracts/selector.ts";
import { count } from "../../foundation/count.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import { toJson } from "../../foundation/json.ts";
import { actorOf, advance, CONVERSATION_KINDS, SILENCE } from "../kickoff/conversation.ts";
import { renderConvention } from "../patterns/conventions/convention.ts";
import {
  teamLeaderConvention,
  teamWorkerConvention,
} from "../patterns/conventions/team-convention.ts";
import { shadowsIn } from "../primitives/shadows/crew.ts";
import type { Talk } from "../talk/talk.ts";
import { type GiveSketched, giveTurn, type Role, type SketchedTurn } from "../talk/talk-turn.ts";
import { answerCall, type TeamDesk } from "./answer-call.ts";
import { listUnreadable } from "./errors.ts";
import { ListFile } from "./list-file.ts";
import { applyEdits } from "./person-changes.ts";
import { ownersIn } from "./person-edit.ts";
import { BY_FILE, countTasks, type TaskCounts } from "./task.ts";
import { TeamCrew } from "./team-crew.ts";
import { type LeaderEnd, TeamLeader } from "./team-leader.ts";
import type { TeamPlace } from "./team-prompts.ts";
import { TeamRoom } from "./team-room.ts";
import { type TeamSettings, teamSettings } from "./team-settings.ts";

// Owns a team from its start to its end: who listens, who answers, who writes the list.
// T1: the tasks are what the journal makes of them; the file shows them and is asked for nothing but edits of people.
// T2: the list is written a last time before the counts are told, so that they are those of the file.

/** Kind of the note with which a team begins. */
export const STARTED_NOTE = "team-started";
/** Kind of the note with which a team ends. */
export const ENDED_NOTE = "team-ended";

const DIRECTORY = ".troupe/context/team";
const FACTS: readonly SelectorKind[] = [...CONVERSATION_KINDS, "agent-status"];

/** Without what follows from its moves. */
type End = Omit<ProgramResult, "metadata">;

type Over =
  | LeaderEnd
  /** A bound of the file is broken. */
  | { readonly status: "broken"; readonly bound: string };

/** Carries a goal out by a leader and workers that share a list of tasks. `written`: with its agents as they are declared. */
export async function runTeam(talk: Talk, written: PatternDefinition): Promise<End> {
  const settings = teamSettings(written);
  return new TeamRun(talk, settings, placeOf(talk, settings)).run();
}

/** Two teams that nobody named share no list. */
function placeOf({ context, definition }: Talk, { name, format }: TeamSettings): TeamPlace {
  const { path, execution } = definition.within ?? {};
  const inner = path === undefined ? "" : `-${path.replace(/[^\w.-]+/g, "-")}-${execution}`;
  const team = name ?? `${context.run.id}${inner}`;
  return { team, list: `${DIRECTORY}/${team}/${format.file}` };
}

class TeamRun {
  readonly #talk: Talk;
  readonly #room: TeamRoom;
  readonly #crew: TeamCrew;
  readonly #leader: TeamLeader;
  readonly #file: ListFile;
  readonly #over = Promise.withResolvers<Over>();
  #hasBegun = false;
  /** An agent that has said in its turn that it changed the list, until its change was taken in. */
  #editor: string | undefined;

  constructor(talk: Talk, settings: TeamSettings, place: TeamPlace) {
    this.#talk = talk;
    const { agents } = talk.definition;
    const give: GiveSketched = (branch, turn) => this.#give(branch, turn);
    this.#room = new TeamRoom(settings, place, (kind, data) => talk.advance(kind, data));
    this.#crew = new TeamCrew(this.#room, {
      give,
      admit: (spec) => talk.team.admit(spec),
      isTaken: (id) => agents.some((agent) => agent.id.toLowerCase() === id.toLowerCase()),
    });
    this.#leader = new TeamLeader(this.#room, {
      give,
      form: () => talk.team.handle(settings.leader.id).conventions,
      crew: this.#crew,
    });
    const { format } = settings;
    const { team } = place;
    const { cwd: root } = talk.context.run;
    const { board } = this.#room;
    const refuse = (problem: string) =>
      talk.context.log("warning", `${place.list}: a change of the list is not taken: ${problem}`);
    // Who is marked as being at work when nobody is, has left it; agents begin when they are given a task.
    const mayBegin = (owner: string) => this.#hasBegun && !this.#crew.knows(owner);
    this.#file = new ListFile(
      { root, directory: `${DIRECTORY}/${team}`, team, format },
      {
        board,
        onFault: ({ problem, beside }) => {
          const told = `${place.list} is left as it is: ${problem}; until it can be read the tasks are in ${beside}`;
          // Whoever sees the result alone has to know, too.
          talk.context.log("error", told);
          this.#room.tell(
            `${told}. Say so to people: who has write access to the file has to correct it.`,
          );
        },
        take: (edits) => {
          for (const owner of ownersIn(edits)) this.#crew.expect(owner);
          const by = this.#editor ?? BY_FILE;
          this.#editor = undefined;
          return applyEdits(board, edits, { by, holder: "user", refuse, mayBegin });
        },
      },
    );
  }

  async run(): Promise<End> {
    const { context } = this.#talk;
    this.#talk.advance(STARTED_NOTE, { ...this.#room.place });
    await this.#prepareList(context);
    this.#hasBegun = true;
    const facts = context.subscribe({ kinds: FACTS });
    const calls = context.subscribe({ kinds: ["request"] });
    const scopes = [
      context.scope("facts", (branch) => this.#listen(branch, facts)),
      context.scope("calls", (branch) => this.#answer(branch, calls)),
      context.scope("touched", (branch) => this.#watch(branch)),
      context.scope("leader", (branch) => this.#lead(branch)),
      context.scope("crew", (branch) => this.#crew.work(branch)),
    ];
    const list = context.scope("list", (branch) => this.#keep(branch));
    const results = [...scopes, list].map(({ result }) => result.catch(this.#over.reject));
    let over: Over;
    try {
      over = await this.#over.promise;
    } finally {
      this.#room.isOver = true;
      for (const scope of scopes) scope.cancel("the team has ended");
      // Who waits for nobody's operation hears of no cancellation.
      this.#room.touch();
    }
    await Promise.allSettled(results);
    return this.#end(over);
  }

  /** What people have prepared is there before the leader plans; a list that cannot be read waits for them. */
  async #prepareList(context: Context): Promise<void> {
    const { list } = this.#room.place;
    for (;;) {
      const fault = await this.#file.prepare(context);
      if (fault === undefined) return;
      const error = listUnreadable({ list, problem: fault.problem });
      const message = `${error.message}; correct or remove it, then approve this or resume the run`;
      const decision = await context.approval({ message, purpose: "pause" });
      if (!decision.approved) throw error;
    }
  }

  /** Gives a turn; what waits for its agent is told with it. */
  async #give(branch: Context, { now, ...turn }: SketchedTurn): ReturnType<GiveSketched> {
    const talk = this.#talk;
    if (talk.team.reflections !== undefined) await talk.team.reflections.look(branch);
    const { agent } = turn;
    const told = [...now, this.#room.takeNotification(agent)].filter((text) => text !== "");
    const call = { ...turn, role: this.#role(agent), now: told.join("\n\n") };
    // Programs remember nothing of earlier turns.
    const isFresh = talk.team.handle(agent).conventions === "none";
    return giveTurn({
      ...{ branch, definition: talk.definition, team: talk.team, call },
      execution: talk.nextExecution(agent),
      session: talk.context.path,
      tell: () => talk.tell({ ...call, isFresh }),
      hold: (take) => talk.inPlace(take),
    });
  }

  #role(agent: string): Role {
    const { settings, place } = this.#room;
    const { leader, workers, maxWorkers, isAuto } = settings;
    const ids = workers.map(({ id }) => id);
    const isLeader = agent === leader.id;
    return {
      marker: "DONE",
      convention: (facts) =>
        isLeader
          ? renderConvention(teamLeaderConvention, {
              ...{ ...facts, ...place, workers: ids, maxWorkers, isAuto },
              hasTools: facts.form === "tools",
            })
          : renderConvention(teamWorkerConvention, { ...facts, ...place, leader: leader.id }),
    };
  }

  /** Follows what is said and done, until a bound is broken. */
  async #listen(branch: Context, facts: Subscription): Promise<void> {
    const { agents, turns } = this.#talk.definition;
    // Tasks bound it: only what somebody has written counts besides.
    const { bounds = {} } = turns ?? {};
    const { leader } = this.#room.settings;
    const watchers = new Set(shadowsIn(agents).map(({ id }) => id));
    let conversation = SILENCE;
    while (conversation.broken === undefined) {
      const event = await branch.next(facts);
      if (event === undefined) continue;
      const actor = event.type === "document-changed" ? event.by : actorOf(event);
      const isAbout = actor === "user" || actor === leader.id || this.#crew.knows(actor ?? "");
      if (isAbout && !watchers.has(actor ?? ""))
        conversation = advance(conversation, event, bounds);
      if (event.type === "message-posted")
        for (const to of event.to ?? event.mentions)
          if (to === leader.id || this.#crew.knows(to)) this.#room.wrote(event.from, to);
      if (event.type === "file-changed" && event.path.endsWith(this.#room.place.list))
        this.#editor = event.agent;
      // After its turn anybody may have written into the file.
      const isTurnOver = event.type === "turn-completed" || event.type === "turn-failed";
      if (isTurnOver && event.agent === this.#editor) this.#editor = undefined;
      if (event.type === "agent-exited") this.#crew.left(event.agent);
    }
    this.#over.resolve({ status: "broken", bound: conversation.broken });
  }

  /** Answers the tools of the team, one call after the other. */
  async #answer(branch: Context, calls: Subscription): Promise<void> {
    const { board, settings } = this.#room;
    const leader = settings.leader.id;
    const desk: TeamDesk = { board, leader, onExit: (exit) => this.#leader.exit(exit) };
    for (;;) {
      const event = await branch.next(calls);
      if (event?.type !== "request-received") continue;
      const { request, agent } = event;
      if (agent !== leader && !this.#crew.knows(agent)) continue;
      try {
        await branch.answer(request, answerCall(desk, event));
      } catch (thrown) {
        const error = toErrorReport(thrown);
        if (error.code === "ENGINE_CANCELLED") throw thrown;
        await branch.answer(request, toJson(error, "a refusal"), { isError: true });
      }
    }
  }

  async #watch(branch: Context): Promise<void> {
    while (!this.#room.isOver) {
      await this.#file.untilTouched(branch);
      this.#room.touch();
    }
  }

  /** Writes what has changed; several changes at a time. */
  async #keep(branch: Context): Promise<void> {
    while (!this.#room.isOver) {
      const { changed } = this.#room;
      await this.#file.sync(branch);
      await changed;
    }
  }

  async #lead(branch: Context): Promise<void> {
    this.#over.resolve(await this.#leader.lead(branch));
  }

  async #end(over: Over): Promise<End> {
    const { board, place } = this.#room;
    for (const { id, holder } of board.open)
      board.giveBack(id, holder ?? "", { why: "the team has ended", counts: false });
    await this.#file.sync(this.#talk.context);
    const counts = countTasks(board.tasks);
    const forced = over.status === "exit" && over.exit.forced;
    this.#talk.advance(ENDED_NOTE, { ...place, ...counts, forced });
    return endOf(over, counts, board.open.length);
  }
}

function endOf(over: Over, counts: TaskCounts, open: number): End {
  if (over.status === "failed")
    return { outcome: "failed", reason: over.error.message, error: over.error };
  const reason = `${counts.completed} of ${count(counts.total, "task")} completed`;
  if (over.status === "broken")
    return { outcome: "limit-reached", reason: `${over.bound}: ${reason}` };
  if (over.status === "stalled") {
    const { error, text: output } = over;
    const why = open > 0 ? `nobody goes on with ${open} open` : error.message;
    return { outcome: "failed", reason: why, output, error };
  }
  const { summary: output } = over.exit;
  if (open > 0) return { outcome: "failed", reason: `exited with ${open} open`, output };
  if (counts.failed > 0)
    return { outcome: "failed", reason: `${reason}, ${counts.failed} failed`, output };
  return { outcome: "completed", reason, output };
}
