import type { Context } from "../../contracts/ports/context.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import type { SelectorKind, Subscription } from "../../contracts/selector.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import { reportedFailure } from "../errors.ts";
import { actorOf, advance, CONVERSATION_KINDS, SILENCE } from "../kickoff/conversation.ts";
import { reminderFor } from "../patterns/conventions/convention.ts";
import { shadowsIn } from "../primitives/shadows/crew.ts";
import type { Demand } from "./hear-turn.ts";
import type { Talk } from "./talk.ts";
import {
  type Followed,
  giveTurn,
  type HeardTurn,
  isTriedAgain,
  markerOfKind,
  type Role,
  type TurnCall,
} from "./talk-turn.ts";
import { WokenGroup } from "./woken-group.ts";

// Owns agents that messages drive: the part of each is one execution of the step with its agent's id, which begins with
// its first turn and is over with its signal; between its turns it waits for messages.
// W1: a level starts when the session above it is ready; what the closer says with its signal ends all.
// W2: a signal of the closer while others are open is answered once; the next one counts (PAT-finish).
// W3: nobody is asked twice for its signal without a turn of those below it in between.
// W4: every turn is given here, so that bounds, places, time-outs and attempts hold for it as for any other.

/** Who is what among agents that messages wake. Whom each reports to stands in its declaration. */
export interface WokenRules {
  /** Whose signal ends all. */
  readonly closer: string;
  readonly role: (agent: string) => Role;
  readonly demand: (agent: string) => Demand;
  /** Whether others report to it: then it is asked for its signal when nobody below works any more. */
  readonly isLead: (agent: string) => boolean;
  /** Whether the others start when the closer writes to them, and not before. */
  readonly startsWhenWritten: boolean;
}

/** How long nothing must happen before somebody is asked for a signal. */
const QUIET_MS = 1000;

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
  /** How many turns of those below an agent had ended when it was asked for its signal. */
  readonly #asked = new Map<string, number>();
  #isToldOpen = false;
  #isOver = false;

  constructor(talk: Talk, rules: WokenRules) {
    this.#talk = talk;
    this.#rules = rules;
    this.#group = new WokenGroup(talk.members, (kind, data) => talk.advance(kind, data));
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
    const { closer, startsWhenWritten } = this.#rules;
    const written = branch.subscribe({ kinds: ["message"], from: [closer], to: [agent] });
    await this.#untilAboveIsReady(agent);
    if (this.#isOver) return;
    if (startsWhenWritten && agent !== closer) await branch.next(written);
    for (;;) {
      this.#group.work(agent);
      const end = await this.#carryOut(branch, agent);
      if (end.status === "completed") {
        this.#group.done(agent, end.done.output);
        if (agent === closer) return this.#end(end.done.output);
        await branch.woken(agent);
        continue;
      }
      const error = end.status === "failed" ? end.error : toErrorReport(new Error(end.status));
      if (await isTriedAgain(branch, this.#talk.definition, { agent, error })) continue;
      return this.#leave(agent, error);
    }
  }

  async #untilAboveIsReady(agent: string): Promise<void> {
    while (!this.#isOver) {
      const above = this.#group.above(agent);
      if (above === undefined || this.#group.isReady(above)) return;
      await this.#group.changed;
    }
  }

  #carryOut(branch: Context, agent: string) {
    const { context, definition, team } = this.#talk;
    const call = {
      ...this.#call(agent, this.#formOf(agent)),
      announceTo: () => this.#group.above(agent),
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

  #call(agent: string, now: string): TurnCall {
    const { role, demand } = this.#rules;
    return { agent, role: role(agent), now, demand: demand(agent), announce: "text" };
  }

  /** What follows a turn: the end of its execution, or the next turn, when there is something for it. */
  async #follow(branch: Context, agent: string, { turn, heard }: HeardTurn): Promise<Followed> {
    if (heard.status === "negative" || heard.status === "stopped") return { status: "over", heard };
    if (heard.status === "heard" && this.#isDone(agent, heard.signals)) {
      const open = agent === this.#rules.closer ? this.#open() : [];
      if (open.length === 0 || this.#isToldOpen) return { status: "over", heard };
      this.#isToldOpen = true;
      return this.#again(agent, `Still open: ${open.join(", ")}; DONE again ends without them.`);
    }
    this.#group.rest(agent);
    const now = await this.#untilNeeded(branch, agent, turn.turn);
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

  /** What to tell an agent with its next turn, once there is one; undefined when it should have given its signal. */
  async #untilNeeded(branch: Context, agent: string, turn: number): Promise<string | undefined> {
    const woken = branch.scope("woken", (scope) => scope.woken(agent));
    try {
      for (;;) {
        if (this.#group.takeWanted(agent)) return this.#news(agent, turn);
        const what = await this.#firstOf(branch, agent, woken.result);
        if (what === "woken") return this.#news(agent, turn);
        if (what === "quiet") return this.#reminder(agent);
      }
    } finally {
      woken.cancel("it has something to do");
    }
  }

  async #firstOf(
    branch: Context,
    agent: string,
    woken: Promise<void>,
  ): Promise<"woken" | "quiet" | "changed"> {
    const { changed } = this.#group;
    const waits = [woken.then(() => "woken" as const), changed.then(() => "changed" as const)];
    if (!this.#rules.isLead(agent) || this.#isBusyBelow(agent)) return Promise.race(waits);
    // What waits for those that have not begun, or have left, moves nobody.
    const agents = [agent, ...this.#group.below(agent)].filter((id) => this.#group.isIn(id));
    const quiet = branch.scope("quiet", (scope) => scope.quiescent({ quietMs: QUIET_MS, agents }));
    try {
      return await Promise.race([...waits, quiet.result.then(() => "quiet" as const)]);
    } finally {
      quiet.cancel("something has happened");
    }
  }

  /** Whether somebody below works, is about to, or is to be asked for its signal first. */
  #isBusyBelow(agent: string): boolean {
    const { isLead, startsWhenWritten } = this.#rules;
    const waiting = startsWhenWritten ? [] : this.#group.waiting;
    const { open, spawned } = this.#group;
    // Those that were spawned are looked at by the operation itself.
    const own = open.filter((id) => !spawned.includes(id));
    return this.#group
      .below(agent)
      .some(
        (id) =>
          waiting.includes(id) || (own.includes(id) && (isLead(id) || !this.#group.isIdle(id))),
      );
  }

  #news(agent: string, turn: number): string {
    const { turnsPerAgent } = this.#talk.definition.bounds ?? {};
    const bound = turnsPerAgent === undefined ? "" : ` of at most ${turnsPerAgent}`;
    return `There is news for you. This is your turn ${turn + 1}${bound}. ${this.#formOf(agent)}`;
  }

  #formOf(agent: string): string {
    return `When your part is done, a line \`${this.#rules.demand(agent).form}\` ends it.`;
  }

  #reminder(agent: string): string | undefined {
    const turns = this.#group.turnsBelow(agent);
    if (!this.#isTold(agent) || this.#asked.get(agent) === turns) return undefined;
    this.#asked.set(agent, turns);
    const { kinds, form } = this.#rules.demand(agent);
    const open = this.#open(this.#group.below(agent));
    const still = open.length === 0 ? "" : ` Still open: ${open.join(", ")}.`;
    return `Nobody works any more.${still}\n\n${reminderFor(markerOfKind(kinds[0]), form)}`;
  }

  /** Who has a part and is not done with it. */
  #open(among?: readonly string[]): readonly string[] {
    const { closer, startsWhenWritten } = this.#rules;
    const { open, waiting } = this.#group;
    return [...open, ...(startsWhenWritten ? [] : waiting)].filter(
      (id) => id !== closer && among?.includes(id) !== false,
    );
  }

  #isTold(agent: string): boolean {
    return this.#talk.team.handle(agent).conventions !== "none";
  }

  /** It takes part no more, and those it works with are told; whoever it reported to does something about it (PAT-fail). */
  async #leave(agent: string, error: ErrorReport): Promise<void> {
    const { context, definition } = this.#talk;
    const above = this.#group.above(agent);
    const told = [above ?? [], this.#group.beside(agent), this.#group.below(agent)].flat();
    this.#group.fail(agent, error.message);
    const reason = error.message;
    if (agent === this.#rules.closer)
      return this.#over.resolve({ status: "ended", end: { outcome: "failed", reason, error } });
    await this.#talk.leave(
      agent,
      error,
      told.filter((id) => this.#talk.isIn(id)),
    );
    // Agents of the workflow around it have other steps.
    if (definition.within === undefined) await context.release(agent, "it takes part no more");
    // Who said itself that it failed has woken whoever it reported to.
    if (above !== undefined && error.code !== reportedFailure.code) this.#group.want(above);
  }

  #end(output: string): void {
    const open = this.#open();
    const without = open.length === 0 ? "" : ` without ${open.join(", ")}`;
    const reason = `${this.#rules.closer} is done${without}`;
    this.#over.resolve({ status: "ended", end: { outcome: "completed", reason, output } });
  }

  /** Asks the closer for its signal once a bound is broken: with it the run is done all the same (PAT-ends). */
  async #closeAtBound(bound: string): Promise<End> {
    const { closer } = this.#rules;
    const limit = { outcome: "limit-reached", reason: bound } as const;
    if (!this.#isTold(closer)) return limit;
    const now = `This is the last turn of all: ${bound}. ${this.#formOf(closer)}`;
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
