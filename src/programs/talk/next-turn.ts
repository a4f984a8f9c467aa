import type { Context } from "../../contracts/ports/context.ts";
import { reminderFor } from "../patterns/conventions/convention.ts";
import type { Demand } from "./hear-turn.ts";
import { markerOfKind, type Role } from "./talk-turn.ts";
import type { WokenGroup } from "./woken-group.ts";

// Owns the waits of agents that messages wake: what gives an agent its next turn, and what it is told then.
// W3: nobody is asked twice for its signal without a turn of those below it in between.

/** How long nothing must happen before somebody is asked for a signal. */
const QUIET_MS = 1000;

/** Who is what among agents that messages wake. Whom each reports to stands in its declaration. */
export interface WokenRules {
  /** Whose signal ends all. */
  readonly closer: string;
  /** Who takes the closer's place once that has failed, and has no part before. */
  readonly fallback: string | undefined;
  readonly role: (agent: string) => Role;
  readonly demand: (agent: string) => Demand;
  /** Whether others report to it: then it is asked for its signal when nobody below works any more. */
  readonly isLead: (agent: string) => boolean;
  /** Whether the others start when the closer writes to them, and not before. */
  readonly startsWhenWritten: boolean;
}

/** What is known of the agents that wait. */
interface WaitRules extends Pick<WokenRules, "demand" | "isLead" | "startsWhenWritten"> {
  readonly group: WokenGroup;
  /** Whether it reads conventions. */
  readonly isTold: (agent: string) => boolean;
  readonly turnsPerAgent: number | undefined;
  /** Who has a part and is not done with it, among these. */
  readonly open: (among: readonly string[]) => readonly string[];
}

/** Decides when agents that messages wake are given their next turns. */
export class NextTurns {
  readonly #rules: WaitRules;
  /** How many turns of those below an agent had ended when it was asked for its signal. */
  readonly #asked = new Map<string, number>();

  constructor(rules: WaitRules) {
    this.#rules = rules;
  }

  /**
   * What to tell an agent with its next turn, once there is one; undefined when it should have given its signal.
   * `turn`: the number of its last one.
   */
  async untilNeeded(branch: Context, agent: string, turn: number): Promise<string | undefined> {
    const woken = branch.scope("woken", (scope) => scope.woken(agent));
    try {
      for (;;) {
        if (this.#rules.group.takeWanted(agent)) return this.#news(agent, turn);
        const what = await this.#firstOf(branch, agent, woken.result);
        if (what === "woken") return this.#news(agent, turn);
        if (what === "quiet") return this.#reminder(agent);
      }
    } finally {
      woken.cancel("it has something to do");
    }
  }

  /** How an agent says that it is done. */
  formOf(agent: string): string {
    return `When your part is done, a line \`${this.#rules.demand(agent).form}\` ends it.`;
  }

  async #firstOf(
    branch: Context,
    agent: string,
    woken: Promise<void>,
  ): Promise<"woken" | "quiet" | "changed"> {
    const { group, isLead } = this.#rules;
    const { changed } = group;
    const waits = [woken.then(() => "woken" as const), changed.then(() => "changed" as const)];
    if (!isLead(agent) || this.#isBusyBelow(agent)) return Promise.race(waits);
    // What waits for those that have not begun, or have left, moves nobody.
    const agents = [agent, ...group.below(agent)].filter((id) => group.isIn(id));
    const quiet = branch.scope("quiet", (scope) => scope.quiescent({ quietMs: QUIET_MS, agents }));
    try {
      return await Promise.race([...waits, quiet.result.then(() => "quiet" as const)]);
    } finally {
      quiet.cancel("something has happened");
    }
  }

  /** Whether somebody below works, is about to, or is to be asked for its signal first. */
  #isBusyBelow(agent: string): boolean {
    const { group, isLead, startsWhenWritten } = this.#rules;
    const waiting = startsWhenWritten ? [] : group.waiting;
    // Those that were spawned are looked at by the operation itself.
    const own = group.open.filter((id) => !group.spawned.includes(id));
    return group
      .below(agent)
      .some(
        (id) => waiting.includes(id) || (own.includes(id) && (isLead(id) || !group.isIdle(id))),
      );
  }

  #news(agent: string, turn: number): string {
    const { turnsPerAgent } = this.#rules;
    const bound = turnsPerAgent === undefined ? "" : ` of at most ${turnsPerAgent}`;
    return `There is news for you. This is your turn ${turn + 1}${bound}. ${this.formOf(agent)}`;
  }

  #reminder(agent: string): string | undefined {
    const { group, isTold, demand } = this.#rules;
    const turns = group.turnsBelow(agent);
    if (!isTold(agent) || this.#asked.get(agent) === turns) return undefined;
    this.#asked.set(agent, turns);
    const { kinds, form } = demand(agent);
    const open = this.#rules.open(group.below(agent));
    const still = open.length === 0 ? "" : ` Still open: ${open.join(", ")}.`;
    return `Nobody works any more.${still}\n\n${reminderFor(markerOfKind(kinds[0]), form)}`;
  }
}
