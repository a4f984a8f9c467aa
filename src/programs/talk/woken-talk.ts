import type { Context, TurnResult } from "../../contracts/ports/context.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import type { SelectorKind, Subscription } from "../../contracts/selector.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import { reportedFailure } from "../errors.ts";
import { actorOf, advance, CONVERSATION_KINDS, SILENCE } from "../kickoff/conversation.ts";
import { shadowsIn } from "../primitives/shadows/crew.ts";
import { NextTurns, type WokenRules } from "./next-turn.ts";
import { inheritedBlocks, noteTakeover, type Takeover, takeoverLine } from "./takeover.ts";
import type { Talk } from "./talk.ts";
import {
  type Followed,
  giveTurn,
  type HeardTurn,
  isTriedAgain,
  type TurnCall,
} from "./talk-turn.ts";
import { WokenGroup } from "./woken-group.ts";

// Owns agents that messages drive: the part of each is one execution of the step with its agent's id, which begins with
// its first turn and is over with its signal; between its turns it waits for messages.
// W1: a level starts when the session above it is ready; what the closer says with its signal ends all.
// W2: a signal of the closer while others are open is answered once; the next one counts (PAT-finish).
// W3: every turn is given here, so that bounds, places, time-outs and attempts hold for it as for any other.

const FACTS: readonly SelectorKind[] = [...CONVERSATION_KINDS, "agent-status"];

/** Without what follows from its moves. */
type End = Omit<ProgramResult, "metadata">;

type Over =
  | { readonly status: "ended"; readonly end: End }
  | { readonly status: "broken"; readonly bound: string };

/** Lets messages give the turns until the closer is done, has failed, or a bound is broken. */
export async function talkWhenWoken(talk: Talk, rules: WokenRules): Promise<End> {
  return new WokenTalk(talk, rules).run();
}

class WokenTalk {
  readonly #talk: Talk;
  readonly #rules: WokenRules;
  readonly #group: WokenGroup;
  readonly #over = Promise.withResolvers<Over>();
  readonly #next: NextTurns;
  /** Whom each has written to with its last turn. */
  readonly #writesTo = new Map<string, string | undefined>();
  #takeover: Takeover | undefined;
  #isToldOpen = false;
  #isOver = false;

  constructor(talk: Talk, rules: WokenRules) {
    this.#talk = talk;
    this.#rules = rules;
    this.#group = new WokenGroup(talk.members, (kind, data) => talk.advance(kind, data));
    this.#next = new NextTurns({
      ...rules,
      group: this.#group,
      isTold: (agent) => this.#isTold(agent),
      turnsPerAgent: talk.definition.bounds?.turnsPerAgent,
      open: (among) => this.#open().filter((id) => among.includes(id)),
    });
    talk.team.reflections?.wakeBy((agent) => this.#group.want(agent));
  }

  /** Whose signal ends all now. */
  get #closer(): string {
    return this.#takeover?.to ?? this.#rules.closer;
  }

  async run(): Promise<End> {
    const { context, members } = this.#talk;
    const facts = context.subscribe({ kinds: FACTS });
    const scopes = [
      context.scope("conversation", (branch) => this.#listen(branch, facts)),
      ...members.map(({ id }) => context.scope(id, (branch) => this.#live(branch, id))),
    ];
    const results = scopes.map(({ result }) => result.catch(this.#over.reject));
    let over: Over;
    try {
      over = await this.#over.promise;
    } finally {
      this.#isOver = true;
      for (const scope of scopes) scope.cancel("the pattern is over");
      // Who waits for nobody's operation hears of no cancellation.
      this.#group.touch();
    }
    await Promise.allSettled(results);
    const end = over.status === "ended" ? over.end : await this.#closeAtBound(over.bound);
    return this.#release(end);
  }

  /** Follows what is said and done, until a bound is broken. */
  async #listen(branch: Context, facts: Subscription): Promise<void> {
    const { agents, bounds = {} } = this.#talk.definition;
    const watchers = new Set(shadowsIn(agents).map(({ id }) => id));
    let conversation = SILENCE;
    while (conversation.broken === undefined) {
      const event = await branch.next(facts);
      if (event === undefined) continue;
      this.#group.take(event);
      const actor = event.type === "document-changed" ? event.by : actorOf(event);
      const isAbout = actor === "user" || this.#group.knows(actor);
      if (isAbout && !watchers.has(actor ?? ""))
        conversation = advance(conversation, event, bounds);
    }
    this.#over.resolve({ status: "broken", bound: conversation.broken });
  }

  /** All executions of one agent. */
  async #live(branch: Context, agent: string): Promise<void> {
    const { closer, fallback, startsWhenWritten } = this.#rules;
    const from = [closer, ...(fallback === undefined ? [] : [fallback])];
    const written = branch.subscribe({ kinds: ["message"], from, to: [agent] });
    await this.#untilItsTurn(agent);
    if (this.#isOver) return;
    if (startsWhenWritten && agent !== this.#closer) await branch.next(written);
    for (;;) {
      this.#group.work(agent);
      const end = await this.#carryOut(branch, agent);
      if (end.status === "completed") {
        this.#group.done(agent, end.done.output);
        if (agent === this.#closer) return this.#end(end.done.output);
        await branch.woken(agent);
        continue;
      }
      const error = end.status === "failed" ? end.error : toErrorReport(new Error(end.status));
      if (await isTriedAgain(branch, this.#talk.definition, { agent, error })) continue;
      return this.#leave(agent, error);
    }
  }

  /** A fallback begins with the failure of the closer, whoever else with the session above it. */
  async #untilItsTurn(agent: string): Promise<void> {
    while (!this.#isOver) {
      const above = this.#group.above(agent);
      const isReady = above === undefined || this.#group.isReady(above);
      if (agent === this.#rules.fallback ? agent === this.#closer : isReady) return;
      await this.#group.changed;
    }
  }

  #carryOut(branch: Context, agent: string) {
    const { context, definition, team } = this.#talk;
    const call = {
      ...this.#beginning(agent),
      announceTo: () => this.#addressee(agent),
    };
    return giveTurn({
      branch,
      definition,
      team,
      call,
      execution: this.#talk.nextExecution(agent),
      session: context.path,
      tell: () => this.#talk.tell({ ...call, isFresh: !this.#isTold(agent) }),
      hold: (turn) => this.#talk.inPlace(turn),
      follow: (said) => this.#follow(branch, agent, said),
    });
  }

  #addressee(agent: string): string | undefined {
    const above = this.#group.above(agent);
    this.#writesTo.set(agent, above);
    return above;
  }

  /** What went to somebody who has left since the turn began goes to whoever stands in that place now. */
  async #passOn(agent: string, { text }: TurnResult): Promise<void> {
    const [first, now] = [this.#writesTo.get(agent), this.#group.above(agent)];
    if (first === undefined || now === undefined || first === now || text === "") return;
    await this.#talk.context.post({
      text: `${agent} to ${first}: ${text}`,
      to: [now],
      mentionsIn: "",
    });
    this.#group.want(now);
  }

  #beginning(agent: string): TurnCall {
    const takeover = this.#takeover;
    const form = this.#next.formOf(agent);
    if (takeover?.to !== agent) return this.#call(agent, form);
    const call = this.#call(agent, `${takeoverLine(takeover)} ${form}`);
    return { ...call, blocks: inheritedBlocks(this.#talk, takeover) };
  }

  #call(agent: string, now: string): TurnCall {
    const { role, demand } = this.#rules;
    return { agent, role: role(agent), now, demand: demand(agent), announce: "text" };
  }

  /** What follows a turn: the end of its execution, or the next turn, when there is something for it. */
  async #follow(branch: Context, agent: string, { turn, heard }: HeardTurn): Promise<Followed> {
    await this.#passOn(agent, turn);
    if (heard.status === "negative" || heard.status === "stopped") return { status: "over", heard };
    if (heard.status === "heard" && this.#isDone(agent, heard.signals)) {
      const open = agent === this.#closer ? this.#open() : [];
      if (open.length === 0 || this.#isToldOpen) return { status: "over", heard };
      this.#isToldOpen = true;
      return this.#again(agent, `Still open: ${open.join(", ")}; DONE again ends without them.`);
    }
    this.#group.rest(agent);
    if (this.#talk.team.reflections !== undefined) await this.#talk.team.reflections.look(branch);
    const now = await this.#next.untilNeeded(branch, agent, turn.turn);
    this.#group.work(agent);
    return now === undefined
      ? { status: "over", heard: { status: "silent" } }
      : this.#again(agent, now);
  }

  #isDone(agent: string, signals: readonly { readonly kind: string }[]): boolean {
    const kinds: readonly string[] = this.#rules.demand(agent).kinds;
    return signals.some(({ kind }) => kinds.includes(kind));
  }

  /** Programs remember nothing, so they are told all of it every time. */
  async #again(agent: string, now: string): Promise<Followed> {
    if (this.#isTold(agent)) return { status: "again", prompt: now };
    const { role } = this.#call(agent, now);
    const { task } = await this.#talk.tell({ agent, role, now, isFresh: true });
    return { status: "again", prompt: task };
  }

  /** Who has a part and is not done with it. */
  #open(): readonly string[] {
    const { fallback, startsWhenWritten } = this.#rules;
    const { open, waiting } = this.#group;
    const all = [...open, ...(startsWhenWritten ? [] : waiting)];
    return all.filter((id) => id !== this.#closer && id !== fallback);
  }

  #isTold(agent: string): boolean {
    return this.#talk.team.handle(agent).conventions !== "none";
  }

  /** It takes part no more, and those it works with are told; whoever it reported to does something about it (PAT-fail). */
  async #leave(agent: string, error: ErrorReport): Promise<void> {
    if (agent === this.#closer) return this.#leaveAsCloser(agent, error);
    const above = this.#group.above(agent);
    const told = [above ?? [], this.#group.beside(agent), this.#group.below(agent)].flat();
    this.#group.fail(agent, error.message);
    await this.#part(agent, error, told);
    // Who said itself that it failed has woken whoever it reported to.
    if (above !== undefined && error.code !== reportedFailure.code) this.#group.want(above);
  }

  async #leaveAsCloser(from: string, error: ErrorReport): Promise<void> {
    const { fallback: to } = this.#rules;
    const reason = error.message;
    if (to === undefined || from === to) {
      this.#group.fail(from, reason);
      return this.#over.resolve({ status: "ended", end: { outcome: "failed", reason, error } });
    }
    const takeover = { from, to, reason };
    const told = this.#group.below(from).filter((id) => this.#group.isIn(id));
    await noteTakeover(this.#talk, takeover, told);
    await this.#part(from, error, []);
    this.#takeover = takeover;
    this.#group.replace(from, to, reason);
  }

  async #part(agent: string, error: ErrorReport, told: readonly string[]): Promise<void> {
    const { context, definition } = this.#talk;
    const others = told.filter((id) => this.#talk.isIn(id));
    await this.#talk.leave(agent, error, others);
    // Agents of the workflow around it have other steps.
    if (definition.within === undefined) await context.release(agent, "it takes part no more");
  }

  #end(output: string): void {
    const open = this.#open();
    const without = open.length === 0 ? "" : ` without ${open.join(", ")}`;
    const reason = `${this.#closer} is done${without}`;
    this.#over.resolve({ status: "ended", end: { outcome: "completed", reason, output } });
  }

  /** Asks the closer for its signal once a bound is broken: with it the run is done all the same (PAT-ends). */
  async #closeAtBound(bound: string): Promise<End> {
    const closer = this.#closer;
    const limit = { outcome: "limit-reached", reason: bound } as const;
    if (!this.#isTold(closer)) return limit;
    const now = `This is the last turn of all: ${bound}. ${this.#next.formOf(closer)}`;
    const said = await this.#talk.turn(this.#call(closer, now));
    if (said?.status !== "said") return limit;
    this.#group.done(closer, said.output);
    return { outcome: "completed", reason: `${closer} is done: ${bound}`, output: said.output };
  }

  /** Nobody goes on once the pattern is over, whoever asked for them. */
  async #release(end: End): Promise<End> {
    const { context } = this.#talk;
    const spawned = this.#group.open.filter((agent) => this.#group.spawned.includes(agent));
    this.#group.release();
    await Promise.all(spawned.map((agent) => context.release(agent, "the pattern is over")));
    return end;
  }
}
