import type { AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { PatternAdvance } from "../../contracts/ports/pattern.ts";
import type { Signal } from "../../contracts/signal.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { createSemaphore, type Semaphore } from "../../foundation/semaphore.ts";
import { BoundWatch } from "../kickoff/conversation.ts";
import {
  type DataBlock,
  markedText,
  renderDataBlocks,
} from "../patterns/conventions/marked-text.ts";
import { placeOf } from "../primitives/execute-pattern-step.ts";
import { Moves } from "../primitives/moves.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { fillTask, type Task } from "../primitives/step-variables.ts";
import type { Team } from "../primitives/team.ts";
import { ChannelNews } from "./channel-news.ts";
import {
  type GivenPrompt,
  giveTurn,
  isTriedAgain,
  type SaidText,
  type TurnCall,
} from "./talk-turn.ts";

// Owns the turns that a pattern without steps gives to its agents: what each is told and asked for, what it said, and
// who has left. A turn is an execution of the step that has its agent's id. Who is given a turn, and what follows from
// it, is the pattern's.
// K1: what others said is told once, with the agent's next turn, as data (PAT-delta).
// K2: an agent that has failed after all attempts has left, and is given no turn any more (PAT-fail).

/** What happens while turns go on side by side. */
export interface RoundWatch {
  /** Sees what came of each turn at once; true cuts off all that are not over. */
  readonly onSaid?: (agent: string, said: Said) => boolean;
  /** Running time after which those that are not over are cut off. */
  readonly timeoutMs?: number | undefined;
}

/** What came of a turn. `left`: the agent takes part no more. */
export type Said =
  | ({ readonly status: "said" } & SaidText)
  | { readonly status: "left"; readonly error: ErrorReport };

/** What a talk is made of. */
export interface TalkParts {
  readonly context: Context;
  readonly definition: PatternDefinition;
  readonly team: Team;
  readonly channel: string;
}

/** Everything that a pattern does with its agents. */
export class Talk {
  readonly context: Context;
  readonly definition: PatternDefinition;
  /** Who takes part, without shadows. */
  readonly members: readonly AgentSpec[];
  readonly team: Team;
  readonly #news: ChannelNews;
  readonly #places: Semaphore;
  readonly #told = new Set<string>();
  readonly #turns = new Map<string, number>();
  readonly #left = new Map<string, ErrorReport>();
  readonly #moves: Moves;
  #bounds: BoundWatch | undefined;
  #broken: string | undefined;
  #cutShort: (() => void) | undefined;

  /** Listens to the main channel from here on. */
  constructor({ context, definition, team, channel }: TalkParts) {
    this.context = context;
    this.definition = definition;
    this.members = crewOf(definition.agents);
    this.team = team;
    this.#moves = new Moves(context, definition);
    this.#news = new ChannelNews(context, channel, this.members);
    this.#places = createSemaphore(definition.maxConcurrency ?? Infinity);
    const { bounds } = definition.turns ?? {};
    this.#bounds = bounds && new BoundWatch(context, { members: this.members, bounds });
  }

  /** What was noted so far. */
  get advances(): readonly PatternAdvance[] {
    return this.#moves.noted;
  }

  /** Agents that have left, with the reason, in the order in which they did. */
  get left(): ReadonlyMap<string, ErrorReport> {
    return this.#left;
  }

  /** Whether an agent still takes part. */
  isIn(agent: string): boolean {
    return !this.#left.has(agent);
  }

  /** The bound of the file that is broken, in words: then what goes on has been cut off. */
  get broken(): string | undefined {
    return this.#broken;
  }

  /** From here on no bound of the file counts: what is asked now ends the pattern (PAT-ends). */
  unbind(): void {
    this.#bounds = undefined;
  }

  /** Notes a move of the pattern. */
  advance(kind: string, data: Json): void {
    this.#moves.note(kind, data);
  }

  /** Takes in what was said in the channel; how many messages of agents and people. */
  listen(): Promise<number> {
    return this.#news.listen(this.context);
  }

  /**
   * Hands over the signals of these kinds that agents give by tool in turns of this pattern: at once, and also when
   * the turn is cut off later. What it returns ends that, and first hands over those that were given until then.
   */
  follow(
    kinds: readonly string[],
    onSignal: (agent: string, signal: Signal) => void,
  ): () => Promise<void> {
    const { context, definition } = this;
    const from = this.members.map(({ id }) => id);
    const subscription = context.subscribe({ kinds: ["signal"], from, signals: kinds });
    const hear = async (branch: Context, options: { readonly timeoutMs?: number }) => {
      for (;;) {
        const event = await branch.next(subscription, options);
        if (event === undefined) return;
        if (event.type !== "signal-received") continue;
        const { agent, signal, step } = event;
        if (step === placeOf(definition, agent, 1).path) onSignal(agent, signal);
      }
    };
    const scope = context.scope("signals", (branch) => hear(branch, {}));
    const over = Promise.allSettled([scope.result]);
    return async () => {
      scope.cancel("nobody listens any more");
      await over;
      await hear(context, { timeoutMs: 0 });
    };
  }

  /** Cuts off the turns that go on, if any do. */
  cutShort(): void {
    this.#cutShort?.();
  }

  /** What the agents are to do together, as it is; empty where there is nothing. */
  async goal(): Promise<string> {
    return (await this.#fill(undefined, this.definition.goal)).task;
  }

  /**
   * Turns side by side; what came of each, by agent, without those that were cut off. Rejects on cancellation, or when a
   * failure ends the run.
   */
  async turns(
    calls: readonly TurnCall[],
    { onSaid, timeoutMs }: RoundWatch = {},
  ): Promise<ReadonlyMap<string, Said>> {
    if (this.team.reflections !== undefined) await this.team.reflections.look(this.context);
    const came = new Map<string, Said>();
    let isCut = false;
    this.#cutShort = () => {
      isCut = true;
      round.cancel("what the others say would change nothing");
    };
    const give = async (context: Context, call: TurnCall) => {
      const said = await this.inPlace(() => this.#give(context, call));
      came.set(call.agent, said);
      if (onSaid?.(call.agent, said) === true && came.size < calls.length) this.cutShort();
    };
    const round = this.context.scope(
      "turns",
      async (context) => {
        const scopes = calls.map((call) =>
          context.scope(call.agent, (branch) => give(branch, call)),
        );
        await Promise.all(scopes.map(({ result }) => result));
      },
      timeoutMs === undefined ? {} : { timeoutMs },
    );
    const stop = this.#bounds?.follow(() => this.cutShort());
    try {
      await round.result;
    } catch (error) {
      const { code, message } = toErrorReport(error);
      round.cancel(message);
      if (!isCut && code !== "ENGINE_TIMED_OUT") throw error;
    } finally {
      this.#cutShort = undefined;
      await stop?.();
      this.#broken ??= this.#bounds?.broken;
    }
    return came;
  }

  /** One turn; undefined when it was cut off. */
  async turn(call: TurnCall): Promise<Said | undefined> {
    return (await this.turns([call])).get(call.agent);
  }

  /** The agent takes part no more; the others are told in the channel, or those that it works with directly. */
  async leave(agent: string, error: ErrorReport, to?: readonly string[]): Promise<void> {
    if (this.#left.has(agent)) return;
    this.#left.set(agent, error);
    if (to?.length === 0) return;
    const why = error.message.replace(/\s+/g, " ").slice(0, 500).toWellFormed();
    const notice = { text: `${agent} takes part no more: ${why}`, mentionsIn: "" };
    const direct = to ?? this.#news.deafTo(this.members);
    if (to === undefined) await this.context.post(notice);
    if (direct.length > 0) await this.context.post({ ...notice, to: direct });
  }

  /** What an agent has changed in a worktree of its own, for those who look at its work from elsewhere. */
  async changesBy(agent: string): Promise<readonly DataBlock[]> {
    if (!this.team.hasWorktree(agent)) return [];
    const text = await this.context.step("changes", async ({ host, workPlaces }) => {
      const { cwd, worktree } = (await workPlaces.given(agent)) ?? {};
      return cwd === undefined ? "" : ((await host.git.diff(cwd, worktree?.base)) ?? "");
    });
    return text === "" ? [] : [{ label: `changes by ${agent}, in its worktree`, text }];
  }

  /** Does something while it holds one of the places for turns at the same time. */
  async inPlace<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#places.acquire(new AbortController().signal);
    try {
      return await work();
    } finally {
      this.#places.release();
    }
  }

  /** Which execution of its step an agent begins now, from 1. */
  nextExecution(agent: string): number {
    const execution = (this.#turns.get(agent) ?? 0) + 1;
    this.#turns.set(agent, execution);
    return execution;
  }

  async #give(branch: Context, call: TurnCall): Promise<Said> {
    const { agent } = call;
    for (;;) {
      const { definition, context } = this;
      const end = await giveTurn({
        branch,
        definition,
        team: this.team,
        call,
        execution: this.nextExecution(agent),
        session: context.path,
        tell: () => this.tell(call),
      });
      if (end.status === "completed") return { status: "said", ...end.done };
      const error = end.status === "failed" ? end.error : toErrorReport(new Error(end.status));
      if (!(await isTriedAgain(branch, definition, { agent, error }))) {
        await this.leave(agent, error);
        return { status: "left", error };
      }
    }
  }

  /** All that a turn is told (K1). */
  async tell(
    call: Pick<TurnCall, "agent" | "role" | "now" | "blocks" | "hears" | "isFresh">,
  ): Promise<GivenPrompt> {
    const { agent, role, now, blocks = [], hears, isFresh = false } = call;
    const news = [...blocks, ...this.#news.tell(agent, hears)];
    const material = news.length === 0 ? [] : [renderDataBlocks(news)];
    const isFirst = isFresh || !this.#told.has(agent);
    this.#told.add(agent);
    const { goal, part } = await this.#parts(agent);
    // Programs remember nothing of earlier turns.
    const task = [goal?.task ?? "", part?.task ?? "", ...material, now]
      .filter((text) => text !== "")
      .join("\n\n");
    if (!isFirst) return { prompt: [...material, now].join("\n\n"), task };
    const told = (task: Task | undefined) => (task === undefined ? "" : markedText(task.told));
    return {
      prompt: [
        role.convention(this.team.facts(agent, role.marker)),
        "---",
        ...(goal === undefined ? [] : [`## Goal\n\n${told(goal)}`]),
        `## Your Task\n\n${told(part)}`,
        ...material,
        now,
      ].join("\n\n"),
      task,
    };
  }

  /** The goal of all and the part of one; whoever has no part has the goal as its task (PAT-parts). */
  async #parts(agent: string): Promise<{ readonly goal?: Task; readonly part: Task | undefined }> {
    const goal = await this.#fill(agent, this.definition.goal);
    const own = this.team.spec(agent)?.task;
    if (own === undefined) return { part: goal };
    const part = await this.#fill(agent, own);
    return goal.task === "" ? { part } : { goal, part };
  }

  /** What a text says to one of them; without an agent, to all. */
  #fill(agent: string | undefined, text: string | undefined): Promise<Task> {
    const { context, definition, team } = this;
    const work =
      agent === undefined
        ? undefined
        : { place: team.place(agent), builtOn: [...this.#turns.keys()] };
    return fillTask({ context, definition, results: new Map(), ...present({ work }) }, text);
  }
}
