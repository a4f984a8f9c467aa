import { z } from "zod";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { PatternAdvance } from "../../contracts/ports/pattern.ts";
import type { Json } from "../../foundation/json.ts";
import { crewOf } from "../primitives/shadows/crew.ts";

// Owns what is known of agents that messages wake: who reports to whom, who works, what came of it. Whoever reports to
// one that has left reports to the next above. Every change that people see is noted, so that a run that was cut short
// shows how far it had come.

const STATUSES = ["waiting", "working", "done", "failed", "released"] as const;

/** How far an agent has come, as the result of a run says it. */
export interface MemberReport {
  readonly agent: string;
  readonly reportsTo: string | null;
  /** `released`: it was not done when the run was. */
  readonly status: (typeof STATUSES)[number];
  /** What it was done with, or why it failed; the beginning of it. */
  readonly summary: string;
  /** Whether another agent asked for it while the pattern ran. */
  readonly spawned: boolean;
}

/** An agent that messages wake. */
interface Member extends MemberReport {
  /** Whether it has nothing to do at the moment. */
  readonly isIdle: boolean;
  /** Whether it has had a session. */
  readonly isReady: boolean;
  /** Turns that have ended. */
  readonly turns: number;
  /** Whether it is to be given a turn although no message starts one. */
  readonly isWanted: boolean;
}

const NOTE = "member";
const MAX_SUMMARY_CHARS = 2000;

const memberNote = z.object({
  agent: z.string(),
  reportsTo: z.string().nullable(),
  status: z.enum(STATUSES),
  summary: z.string(),
  spawned: z.boolean(),
});

/** The agents of a talk in which messages start turns. */
export class WokenGroup {
  readonly #note: (kind: string, data: Json) => void;
  readonly #members: Map<string, Member>;
  #change = Promise.withResolvers<void>();

  /** `note` writes down every change that people see. */
  constructor(members: readonly AgentSpec[], note: (kind: string, data: Json) => void) {
    this.#note = note;
    this.#members = new Map(members.map((spec) => [spec.id, newMember(spec)]));
  }

  /** Resolves at the next change of anything here. */
  get changed(): Promise<void> {
    return this.#change.promise;
  }

  /** Lets those look again who wait for a change. */
  touch(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers();
    resolve();
  }

  /** Whom an agent reports to now. */
  above(agent: string): string | undefined {
    return this.#members.get(agent)?.reportsTo ?? undefined;
  }

  /** All that report to an agent, over others too. */
  below(agent: string): readonly string[] {
    return this.#all
      .filter(({ reportsTo }) => reportsTo === agent)
      .flatMap(({ agent: id }) => [id, ...this.below(id)]);
  }

  /** Those that take part and report to the same as an agent. */
  beside(agent: string): readonly string[] {
    const above = this.above(agent);
    return this.#all
      .filter(({ reportsTo, agent: id }) => id !== agent && reportsTo === above)
      .filter(({ status }) => status !== "failed" && status !== "released")
      .map(({ agent: id }) => id);
  }

  /** Whether an agent has had a session. */
  isReady(agent: string): boolean {
    return this.#members.get(agent)?.isReady === true;
  }

  /** Whether an agent has begun and takes part still. */
  isIn(agent: string): boolean {
    const { status } = this.#members.get(agent) ?? {};
    return status === "working" || status === "done";
  }

  /** Whether an agent has a part to do and waits for messages. */
  isIdle(agent: string): boolean {
    const { isIdle = false, status } = this.#members.get(agent) ?? {};
    return isIdle && status !== "failed" && status !== "released";
  }

  /** Who has begun and has not said that it is done. */
  get open(): readonly string[] {
    return this.#all.filter(({ status }) => status === "working").map(({ agent }) => agent);
  }

  /** Who has not begun. */
  get waiting(): readonly string[] {
    return this.#all.filter(({ status }) => status === "waiting").map(({ agent }) => agent);
  }

  /** How many turns have ended of those below an agent. */
  turnsBelow(agent: string): number {
    return this.below(agent).reduce((sum, id) => sum + (this.#members.get(id)?.turns ?? 0), 0);
  }

  /** An agent works on its part. */
  work(agent: string): void {
    this.#set(agent, { status: "working", isIdle: false });
  }

  /** An agent waits for messages. */
  rest(agent: string): void {
    this.#set(agent, { isIdle: true });
  }

  /** An agent is done with its part. */
  done(agent: string, summary: string): void {
    this.#set(agent, { status: "done", summary, isIdle: true });
  }

  /** An agent takes part no more; those below it report to the next above. */
  fail(agent: string, summary: string): void {
    const above = this.above(agent) ?? null;
    this.#set(agent, { status: "failed", summary, isIdle: true });
    for (const { agent: id, reportsTo } of this.#all)
      if (reportsTo === agent && above !== null) this.#set(id, { reportsTo: above });
  }

  /** An agent takes part no more; another one, over whom nobody stands, takes its place. */
  replace(agent: string, by: string, summary: string): void {
    this.#set(agent, { status: "failed", summary, isIdle: true });
    this.#set(by, { reportsTo: null });
    for (const { agent: id, reportsTo } of this.#all)
      if (reportsTo === agent && id !== by) this.#set(id, { reportsTo: by });
  }

  /** The pattern is over for everybody that is not done. */
  release(): void {
    for (const agent of this.open) this.#set(agent, { status: "released" });
  }

  /** Gives an agent a turn as soon as it waits for messages. */
  want(agent: string): void {
    if (this.#members.get(agent)?.status === "working") this.#set(agent, { isWanted: true });
  }

  /** Whether an agent is to be given a turn, from then on no more. */
  takeWanted(agent: string): boolean {
    const isWanted = this.#members.get(agent)?.isWanted === true;
    if (isWanted) this.#set(agent, { isWanted: false });
    return isWanted;
  }

  /** Agents that were spawned while the pattern ran. */
  get spawned(): readonly string[] {
    return this.#all.filter(({ spawned }) => spawned).map(({ agent }) => agent);
  }

  /** Whether an event is about somebody here. */
  knows(agent: string | undefined): boolean {
    return agent !== undefined && this.#members.has(agent);
  }

  /** Takes a fact in. */
  take(event: JournalEvent): void {
    if (event.type === "agent-spawned") this.#takeSpawned(event.spec);
    if (!("agent" in event) || event.agent === undefined) return;
    const member = this.#members.get(event.agent);
    if (member === undefined) return;
    const { agent, spawned } = member;
    if (event.type === "agent-ready") this.#set(agent, { isReady: true });
    if (event.type === "turn-failed") this.#set(agent, { turns: member.turns + 1 });
    // A session that was there before is not told of again.
    if (event.type === "turn-completed")
      this.#set(agent, { isReady: true, turns: member.turns + 1 });
    if (spawned) this.#followSpawned(agent, event);
  }

  /** Somebody here has asked for one more (PAT-spawned). */
  #takeSpawned({ id, spawnedBy }: AgentSpec): void {
    if (spawnedBy === undefined || !this.knows(spawnedBy) || this.knows(id)) return;
    const spec = { id, reportsTo: spawnedBy };
    this.#members.set(id, { ...newMember(spec), spawned: true });
    this.#set(id, { status: "working" });
  }

  /** Whoever asked for it gives it its turns; what came of the last one counts. */
  #followSpawned(agent: string, event: JournalEvent): void {
    if (event.type === "turn-started") this.work(agent);
    if (event.type === "turn-failed") this.#endSpawned(agent, "failed", event.error.message);
    if (event.type === "agent-exited" && this.open.includes(agent))
      this.#endSpawned(agent, "failed", event.error?.message ?? event.reason);
    if (event.type !== "turn-completed") return;
    const { signals, text } = event;
    const negative = signals.find(({ kind }) => kind === "failed" || kind === "blocked");
    const done = signals.find(({ kind }) => kind === "done");
    if (negative === undefined) this.#endSpawned(agent, "done", done?.value ?? text);
    else this.#endSpawned(agent, "failed", negative.value);
  }

  #endSpawned(agent: string, status: "done" | "failed", summary: string): void {
    this.#set(agent, { status, summary, isIdle: true });
    const above = this.above(agent);
    if (above !== undefined && this.isIdle(above)) this.want(above);
  }

  get #all(): readonly Member[] {
    return [...this.#members.values()];
  }

  #set(agent: string, change: Partial<Member>): void {
    const before = this.#members.get(agent);
    if (before === undefined) return;
    const { summary = before.summary } = change;
    const short = summary.slice(0, MAX_SUMMARY_CHARS).toWellFormed();
    const after = { ...before, ...change, summary: short };
    this.#members.set(agent, after);
    if (isSeen(before, after)) this.#note(NOTE, { ...memberNote.parse(after) });
    this.touch();
  }
}

function isSeen(before: Member, after: Member): boolean {
  return (
    before.status !== after.status ||
    before.reportsTo !== after.reportsTo ||
    before.summary !== after.summary
  );
}

function newMember({ id, reportsTo }: Pick<AgentSpec, "id" | "reportsTo">): Member {
  return {
    agent: id,
    reportsTo: reportsTo ?? null,
    status: "waiting",
    summary: "",
    spawned: false,
    isIdle: false,
    isReady: false,
    turns: 0,
    isWanted: false,
  };
}

/** How far everybody has come, from what was noted: the agents of the definition, then those that were spawned. */
export function memberReports(
  { agents }: Pick<PatternDefinition, "agents">,
  advances: readonly PatternAdvance[],
): readonly MemberReport[] {
  const reports = new Map<string, MemberReport>(
    crewOf(agents).map(({ id: agent, reportsTo = null }) => [
      agent,
      { agent, reportsTo, status: "waiting", summary: "", spawned: false },
    ]),
  );
  for (const { kind, data } of advances) {
    if (kind !== NOTE) continue;
    const report = memberNote.parse(data);
    reports.set(report.agent, report);
  }
  return [...reports.values()];
}

/** Who had begun and was not done. */
export function unfinishedOf(reports: readonly MemberReport[]): readonly string[] {
  return reports
    .filter(({ status }) => status === "working" || status === "released")
    .map(({ agent }) => agent);
}
