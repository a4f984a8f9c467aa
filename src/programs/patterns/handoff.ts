import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Context } from "../../contracts/ports/context.ts";
import { definePattern, type PatternFault, type RouteTest } from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import type { ErrorReport } from "../../foundation/errors.ts";
import {
  chainReport,
  DEFAULT_MAX_HANDOFFS,
  type HandoffCause,
  handoffBlock,
  type Routing,
  receiverOf,
  receiversOf,
  type WantedHandoff,
} from "../primitives/handoffs.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { faultsOfBounds, faultsOfNames, memberNamed } from "../talk/find-members.ts";
import { FunctionRoutes } from "../talk/function-routes.ts";
import { givenTurns, runTalk, type TalkEnd, type TalkPattern } from "../talk/run-talk.ts";
import type { Said, Talk } from "../talk/talk.ts";
import type { Role, SaidText } from "../talk/talk-turn.ts";
import { renderConvention } from "./conventions/convention.ts";
import { holderConvention } from "./conventions/handoff-convention.ts";
import { type DataBlock, fittingBlocks } from "./conventions/marked-text.ts";

/** Most text of other holders that one is told. */
const MAX_NEWS_CHARS = 262_144;

/** A hand-over that took place. */
interface Move {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
  readonly by: HandoffCause;
  /** Hand-overs that are left after it. */
  readonly left: number;
}

const patternWith = (tests: readonly RouteTest[]): TalkPattern => ({
  members: ({ agents }) =>
    givenTurns(agents, () => ({ writesTo: ["user", "#"], signals: ["handoff"] })),
  role: (definition, agent) => roleOf(routingOf(definition), agent),
  metadata: (_definition, advances) => chainReport(advances),
  talk: (talk) => new Chain(talk, tests).hold(),
});

const pattern = patternWith([]);

/** One agent at a time holds the task, and finishes it or hands it over with all that was said of it. */
export const handoffPattern = definePattern({
  name: "handoff",
  summary: "One agent holds the task and hands it to whoever suits it better",
  block: handoffBlock,
  onFailure: "continue",
  order: "mode",
  members: pattern.members,
  metadata: pattern.metadata,
  check,
  turns: (definition) => {
    const { maxHandoffs } = routingOf(definition);
    const basis = `1 to ${maxHandoffs + 1} holders + 1 that is told to finish`;
    return { least: 1, most: maxHandoffs + 2, basis };
  },
  links: (definition) => {
    const { entry, routes, fallback } = routingOf(definition);
    const ways = routes.map(({ agent: to, test, condition: label = test }) => {
      return { from: entry, to, kind: "route" as const, ...(label === undefined ? {} : { label }) };
    });
    return fallback === undefined || fallback === entry
      ? ways
      : [...ways, { from: entry, to: fallback, kind: "route", label: "fallback" }];
  },
  tests: ({ steps, ...definition }) =>
    steps.length > 0
      ? []
      : routingOf({ steps, ...definition }).routes.flatMap(({ test }) => test ?? []),
  withTests: (tests) => ({
    ...handoffPattern,
    run: (context, definition) => runTalk(context, definition, patternWith(tests)),
  }),
  run: (context, definition) => runTalk(context, definition, pattern),
});

/** Where a task is to go, and why. */
interface Next extends Pick<WantedHandoff, "to" | "by"> {
  readonly reason: string;
}

/** What a holder has said of the task, for those that hold it later. */
interface Answer {
  readonly from: string;
  readonly text: string;
  readonly reason: string;
}

/** The task on its way. */
class Chain {
  readonly #talk: Talk;
  readonly #routing: Routing;
  readonly #answers: Answer[] = [];
  /** How many answers each agent has been told. */
  readonly #told = new Map<string, number>();
  readonly #functions: FunctionRoutes;
  #moves = 0;
  #holder: string;

  constructor(talk: Talk, tests: readonly RouteTest[]) {
    this.#talk = talk;
    this.#functions = new FunctionRoutes(tests);
    this.#routing = routingOf(talk.definition);
    this.#holder = this.#routing.entry;
  }

  get #left(): number {
    return Math.max(0, this.#routing.maxHandoffs - this.#moves);
  }

  async hold(): Promise<TalkEnd> {
    this.#talk.advance("entry", { agent: this.#holder, left: this.#left });
    let note = "";
    for (let isRefused = false; ; ) {
      const said = await this.#turn(note);
      if (said === undefined) return this.#closeAtBound(note);
      if (said.status === "left") {
        if (!this.#passOn(said.error)) return failed(this.#holder, said.error);
        isRefused = false;
        note = "";
        if (this.#talk.broken !== undefined) return this.#closeAtBound(note);
        continue;
      }
      const wanted = await this.#wanted(said);
      if (wanted === undefined) return this.#finish(said.output);
      if (this.#left === 0 && isRefused) return this.#giveUp();
      isRefused = this.#left === 0;
      note = isRefused
        ? "Your HANDOFF does not count. "
        : this.#handOver(wanted, wanted.reason, textOf(said));
      if (this.#talk.broken !== undefined) return this.#closeAtBound(note);
    }
  }

  /** Asks whoever holds the task to finish it once a bound is broken: with that it is done all the same (PAT-ends). */
  async #closeAtBound(note: string): Promise<TalkEnd> {
    const { broken = "" } = this.#talk;
    this.#talk.unbind();
    const said = await this.#turn(`${note}This is the last turn of all: ${broken}. `, 0);
    const isDone = said?.status === "said" && said.signals.some(({ kind }) => kind === "done");
    return isDone ? this.#finish(said.output) : { outcome: "limit-reached", reason: broken };
  }

  /** What a turn says of who is next: its own words first, then functions (PAT-handoff-2). */
  async #wanted({ signals, text }: SaidText): Promise<Next | undefined> {
    const signal = signals.find(({ kind }) => kind === "handoff");
    if (signal !== undefined)
      return { to: signal.value, by: "signal", reason: signal.reason ?? "" };
    if (signals.some(({ kind }) => kind === "done")) return undefined;
    await this.#ask(this.#talk.context, text);
    const route = this.#functions.chosen();
    if (route === undefined) return undefined;
    const { agent, test = agent } = route;
    return { to: agent, by: "route", reason: `the route ${test} takes it` };
  }

  #ask(context: Context, text: string): Promise<boolean> {
    const isFree = (agent: string) => agent !== this.#holder && this.#talk.isIn(agent);
    const routes = this.#routing.routes.filter(({ agent }) => isFree(agent));
    return this.#functions.ask(context, routes, text);
  }

  async #turn(note: string, left = this.#left): Promise<Said | undefined> {
    const holder = this.#holder;
    this.#functions.begin();
    const form = left === 0 ? "" : "\nHANDOFF: <agent> <why>";
    return this.#talk.turn({
      agent: holder,
      role: roleOf(this.#routing, holder),
      now: note + nowText(left),
      blocks: this.#news(holder),
      announce: "text",
      demand: {
        kinds: ["done", "handoff"],
        form: `DONE: <the answer>${form}`,
        plain: () => undefined,
        isEnough: (branch, text) => this.#ask(branch, text),
      },
    });
  }

  /** What others have answered since the agent held the task. */
  #news(agent: string): readonly DataBlock[] {
    const news = this.#answers
      .slice(this.#told.get(agent) ?? 0)
      .filter(({ from }) => from !== agent);
    this.#told.set(agent, this.#answers.length);
    const blocks = news.map(({ from, text, reason }) => ({
      label: `answer of ${from}, who held the task before`,
      text: `${text}\n\nHanded over: ${reason}`.trim(),
    }));
    return fittingBlocks(blocks, MAX_NEWS_CHARS);
  }

  /** Hands the task over, or to somebody else where nobody of that name can take it; what the receiver is told of that. */
  #handOver(wanted: Pick<WantedHandoff, "to" | "by">, reason: string, text: string): string {
    const from = this.#holder;
    this.#answers.push({ from, text, reason });
    const isIn = (agent: string) => this.#talk.isIn(agent);
    const { to, by } = receiverOf(this.#routing, { ...wanted, from, isIn });
    this.#move({ to, reason, by });
    return by === wanted.by
      ? ""
      : `${from} handed over to "${wanted.to}", who cannot take the task, so it is yours. `;
  }

  /** Gives the task of a holder that has failed to the fallback; whether there is one. */
  #passOn(error: ErrorReport): boolean {
    const { fallback } = this.#routing;
    if (fallback === undefined || !this.#talk.isIn(fallback)) return false;
    const reason = `failed: ${error.message}`;
    this.#answers.push({ from: this.#holder, text: "", reason });
    this.#move({ to: fallback, reason, by: "fallback" });
    return true;
  }

  #move({ to, reason, by }: Pick<Move, "to" | "reason" | "by">): void {
    this.#moves += 1;
    this.#talk.advance("handoff", { from: this.#holder, to, reason, by, left: this.#left });
    this.#holder = to;
  }

  #finish(output: string): TalkEnd {
    this.#talk.advance("finished", { agent: this.#holder });
    const reason = `${this.#holder} finished after ${count(this.#moves, "hand-over")}`;
    return { outcome: "completed", reason, output };
  }

  #giveUp(): TalkEnd {
    const used = count(this.#moves, "hand-over");
    const reason = `${this.#holder} would not finish: all ${used} are used`;
    return { outcome: "limit-reached", reason };
  }
}

function failed(holder: string, error: ErrorReport): TalkEnd {
  return { outcome: "failed", reason: `${holder} held the task: ${error.message}`, error };
}

/** All that a holder said beside its hand-over. */
function textOf({ text, signals }: Extract<Said, { readonly status: "said" }>): string {
  const done = signals.find(({ kind }) => kind === "done");
  return [text, done?.value ?? ""].filter((part) => part !== "").join("\n\n");
}

function nowText(left: number): string {
  const finish = "with a line `DONE: <the answer>`";
  return left === 0
    ? `You hold the task, and no hand-over is left: finish it yourself, ${finish}.`
    : `You hold the task; ${count(left, "hand-over")} left. Finish it ${finish}, or hand it over with a line \`HANDOFF: <agent> <why>\`.`;
}

function roleOf(routing: Routing, agent: string): Role {
  const { maxHandoffs } = routing;
  const receivers = receiversOf(routing, agent);
  return {
    marker: "DONE",
    convention: (facts) => renderConvention(holderConvention, { ...facts, receivers, maxHandoffs }),
  };
}

function routingOf({ agents, options }: PatternDefinition): Routing {
  const {
    entryPoint,
    routes,
    fallback,
    maxHandoffs = DEFAULT_MAX_HANDOFFS,
  } = handoffBlock.parse(options);
  const members = crewOf(agents);
  const idOf = (name: string) => memberNamed(members, name)?.id ?? name;
  const entry = idOf(entryPoint ?? members[0]?.id ?? "");
  const others = members.flatMap(({ id }) => (id === entry ? [] : [{ agent: id }]));
  return {
    entry,
    fallback: fallback === undefined ? undefined : idOf(fallback),
    routes: routes?.map((route) => ({ ...route, agent: idOf(route.agent) })) ?? others,
    maxHandoffs,
  };
}

function check(definition: PatternDefinition): readonly PatternFault[] {
  const { agents, options } = definition;
  const { entryPoint, routes = [], fallback, maxHandoffs } = handoffBlock.parse(options);
  const members = crewOf(agents);
  const names = [
    ["entryPoint", entryPoint === undefined ? [] : [entryPoint]],
    ["routes", routes.map(({ agent }) => agent)],
    ["fallback", fallback === undefined ? [] : [fallback]],
  ] as const;
  return [
    ...names.flatMap(([key, listed]) => faultsOfNames(key, listed, members)),
    ...faultsOfBounds(definition, { maxHandoffs }),
  ];
}
