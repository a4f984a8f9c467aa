import type { AgentSpec } from "../../contracts/agent.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Context, TurnOptions } from "../../contracts/ports/context.ts";
import type {
  CarriedAdjustment,
  ReflectionAdjustment,
  ReflectionEvent,
  ReflectionSpec,
} from "../../contracts/reflection.ts";
import type { Subscription } from "../../contracts/selector.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { toJson } from "../../foundation/json.ts";
import { Adjuster, type ReflectedTeam, reportUnlessCancelled } from "./adjuster.ts";
import { type ReadReflection, readReflection, toAdjustments } from "./adjustments.ts";
import { scoresOf } from "./importance-scores.ts";
import { focalPointsOf, ownSynthesis, reflectionPrompt, toSynthesis } from "./reflection-text.ts";
import { type ReflectedStretch, ReflectionWindow } from "./reflection-window.ts";

// Owns the reflections of a run: when one is due, who makes it, and what follows.
// R1: whoever ends a turn, or is about to give some, asks `look`; nobody waits for a reflection of another.
// R2: one at a time; what is said meanwhile counts for the next one, but for what the reflector says in its own turn.

/** Most reflections of a run. */
const MAX_REFLECTIONS = 20;
const FACTS = ["message", "turn-started", "turn-ended", "agent-status"] as const;
const SYSTEM = "system";

/** A turn as whoever gives it asks for it. */
export interface AskedTurn {
  readonly agent: string;
  readonly prompt: string;
  readonly options: TurnOptions;
}

/** What is reflected on. */
export interface ReflectionParts {
  readonly context: Context;
  readonly spec: ReflectionSpec;
  /** Those that work. */
  readonly agents: readonly AgentSpec[];
  readonly team: ReflectedTeam;
}

/** The reflections of one pattern. */
export class Reflections {
  readonly #parts: ReflectionParts;
  readonly #window: ReflectionWindow;
  readonly #facts: Subscription;
  readonly #prior: ReflectionEvent[] = [];
  readonly #startedAt: number;
  readonly #adjuster: Adjuster;
  #isBusy = false;
  /** Paths of scopes since the last look: what is done there counts for nothing. */
  readonly #own = new Set<string>();
  readonly #ownTurns = new Set<string>();

  /** Listens from here on. */
  constructor(parts: ReflectionParts) {
    this.#parts = parts;
    this.#window = new ReflectionWindow(parts.agents.map(({ id }) => id));
    this.#adjuster = new Adjuster({ ...parts, window: this.#window });
    this.#startedAt = parts.context.now();
    this.#facts = parts.context.subscribe({ kinds: FACTS });
  }

  /** Whom to tell that an agent has something to do which nobody has written to it. */
  wakeBy(wake: (agent: string) => void): void {
    this.#adjuster.wakeBy(wake);
  }

  /** Takes in what has happened, and reflects as often as that is due. Rejects only on cancellation. */
  async look(branch: Context): Promise<void> {
    if (this.#isBusy || this.#prior.length >= MAX_REFLECTIONS) return;
    this.#isBusy = true;
    try {
      while (await this.#isDue(branch)) await this.#reflect(branch);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Ends what reflections have started: `wait` lets those that they have spawned end by themselves. */
  end(how: "wait" | "cut"): Promise<void> {
    return this.#adjuster.end(how);
  }

  async #isDue(branch: Context): Promise<boolean> {
    for (;;) {
      const event = await branch.next(this.#facts, { timeoutMs: 0 });
      if (event === undefined) break;
      if (!this.#isOwn(event)) this.#window.take(event);
    }
    this.#own.clear();
    const { spec } = this.#parts;
    await this.#apart(branch, "scoring", async (context) =>
      this.#window.weigh(await scoresOf(context, spec, this.#window.heard)),
    );
    return this.#prior.length < MAX_REFLECTIONS && this.#window.importance >= spec.threshold;
  }

  /** Does something that is no part of the work that is reflected on (R2). */
  async #apart<Result>(
    branch: Context,
    name: string,
    run: (context: Context) => Promise<Result>,
  ): Promise<Result> {
    const scope = branch.scope(name, (context) => {
      this.#own.add(context.path);
      return run(context);
    });
    return scope.result;
  }

  /** Whether it is part of a turn of those that reflect or score (R2). */
  #isOwn(event: JournalEvent): boolean {
    const isHere = (key: string | undefined) =>
      [...this.#own].some((path) => key?.includes(`/${path}/`) === true);
    if (event.type === "message-posted") return isHere(event.key);
    if (event.type === "turn-started") {
      if (isHere(event.key)) this.#ownTurns.add(placeOf(event));
      return isHere(event.key);
    }
    if (event.type !== "turn-completed" && event.type !== "turn-failed") return false;
    return this.#ownTurns.has(placeOf(event));
  }

  #reflect(branch: Context): Promise<void> {
    const stretch = this.#window.restart();
    const { importance, confidence } = stretch;
    return this.#apart(branch, "reflection", async (context) => {
      const { by, synthesis, adjustments } = await this.#made(context, stretch);
      const functional = await this.#asked(context, stretch);
      const carried: CarriedAdjustment[] = [];
      for (const adjustment of adjustments)
        carried.push(await this.#adjuster.carryOut(context, by, adjustment));
      for (const adjustment of functional)
        carried.push(await this.#adjuster.carryOut(context, SYSTEM, adjustment));
      const focalPoints = focalPointsOf(stretch);
      const made = { by, synthesis, focalPoints, adjustments: carried, confidence };
      this.#prior.push({ ts: toIsoTime(context.now()), ...made });
      context.note({ type: "reflection-made", ...made, importance });
    });
  }

  /** What the function wants to change that was given in code. */
  async #asked(
    context: Context,
    { said: recentMessages, statuses: agentStatuses }: ReflectedStretch,
  ): Promise<readonly ReflectionAdjustment[]> {
    if (this.#parts.spec.functions?.includes("onReflect") !== true) return [];
    const elapsedMs = context.now() - this.#startedAt;
    const given = { recentMessages, agentStatuses, elapsedMs, priorReflections: [...this.#prior] };
    try {
      const said = await context.step("on-reflect", async ({ reflecting: { onReflect } }) =>
        onReflect === undefined
          ? null
          : toJson({ adjustments: (await onReflect(given)) ?? [] }, "what onReflect returned"),
      );
      if (said === null) throw new Error("whoever resumed the run did not give it");
      const { adjustments, faults } = toAdjustments(said);
      for (const fault of faults) context.log("warning", `onReflect: ${fault}`);
      return adjustments;
    } catch (thrown) {
      context.log("warning", `onReflect went wrong: ${reportUnlessCancelled(thrown).message}`);
      return [];
    }
  }

  /** What the reflector makes of it; Troupe, where there is none, or where it says nothing. */
  async #made(context: Context, stretch: ReflectedStretch): Promise<Made> {
    const by = this.#reflector();
    const said = by === undefined ? undefined : await this.#ask(context, by, stretch);
    if (by === undefined || said === undefined)
      return { by: SYSTEM, synthesis: ownSynthesis(stretch), adjustments: [], faults: [] };
    for (const fault of said.faults) context.log("warning", `reflection of ${by}: ${fault}`);
    const synthesis = toSynthesis(said.synthesis);
    return { ...said, by, synthesis: synthesis === "" ? ownSynthesis(stretch) : synthesis };
  }

  #reflector(): string | undefined {
    const { spec, agents } = this.#parts;
    const id = spec.reflector ?? leadOf(agents)?.id;
    return id === undefined || this.#window.hasLeft(id) ? undefined : id;
  }

  async #ask(
    context: Context,
    by: string,
    stretch: ReflectedStretch,
  ): Promise<ReadReflection | undefined> {
    const { context: around, spec } = this.#parts;
    const prompt = reflectionPrompt(
      spec,
      stretch,
      this.#prior.map(({ synthesis }) => synthesis),
    );
    try {
      const { text, signals } = await context.turn(by, prompt, { session: around.path });
      const reflect = signals.find(({ kind }) => kind === "reflect");
      return readReflection(reflect?.value ?? text);
    } catch (thrown) {
      const { message } = reportUnlessCancelled(thrown);
      context.log("warning", `${by} could not reflect: ${message}`);
      return undefined;
    }
  }
}

interface Made extends ReadReflection {
  readonly by: string;
}

/** Who leads: the only lead or hub, else whom others report to and who reports to nobody. */
export function leadOf(agents: readonly AgentSpec[]): AgentSpec | undefined {
  const heads = agents.filter(
    ({ id, reportsTo }) =>
      reportsTo === undefined && agents.some((other) => other.reportsTo === id),
  );
  const byRole = (role: string) => agents.filter((agent) => agent.role === role);
  return [byRole("lead"), byRole("hub"), heads].find(({ length }) => length === 1)?.[0];
}

function placeOf({ agent, turn }: { readonly agent: string; readonly turn: number }): string {
  return `${agent}/${turn}`;
}
