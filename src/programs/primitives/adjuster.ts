import type { AgentHandle, AgentSpec } from "../../contracts/agent.ts";
import type { Context, Scope, TurnResult } from "../../contracts/ports/context.ts";
import type { CarriedAdjustment, ReflectionAdjustment } from "../../contracts/reflection.ts";
import { TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { ID_PATTERN, RESERVED_AGENT_IDS } from "../../foundation/ids.ts";
import { present } from "../../foundation/present.ts";
import { renderConvention, withTask } from "../patterns/conventions/convention.ts";
import type { ConventionFacts } from "../patterns/conventions/convention-facts.ts";
import { spawnedConvention } from "./reflection-text.ts";
import type { ReflectionWindow } from "./reflection-window.ts";

// Owns what reflections change, and whom they have spawned. An adjustment that cannot be carried out is refused alone, and
// told with its reflection.

/** What reflections need of the agents. */
export interface ReflectedTeam {
  handle(agent: string): AgentHandle;
  spec(agent: string): AgentSpec | undefined;
  admit(spec: AgentSpec): Promise<AgentHandle>;
  facts(agent: string, marker: string | undefined): ConventionFacts;
  /** Gives an agent another part: with its next turn, or with the one it is in, which begins anew. */
  reassign(agent: string, part: string): void;
}

/** What adjustments are carried out on. */
interface AdjusterParts {
  readonly context: Context;
  /** Those that work. */
  readonly agents: readonly AgentSpec[];
  readonly team: ReflectedTeam;
  readonly window: ReflectionWindow;
}

/** Carries out what reflections change. */
export class Adjuster {
  readonly #parts: AdjusterParts;
  readonly #spawned: Scope<TurnResult>[] = [];
  #wake: (agent: string) => void = () => {};

  constructor(parts: AdjusterParts) {
    this.#parts = parts;
  }

  /** Whom to tell that an agent has something to do which nobody has written to it. */
  wakeBy(wake: (agent: string) => void): void {
    this.#wake = wake;
  }

  /** Does what an adjustment says; what came of it. Rejects only on cancellation. */
  async carryOut(
    context: Context,
    by: string,
    adjustment: ReflectionAdjustment,
  ): Promise<CarriedAdjustment> {
    try {
      const reason = await this.#refusal(context, by, adjustment);
      return reason === undefined
        ? { ...adjustment, result: "done" }
        : { ...adjustment, result: "refused", reason };
    } catch (thrown) {
      const { message: reason } = reportUnlessCancelled(thrown);
      return { ...adjustment, result: "refused", reason };
    }
  }

  /** Does what is to be done; why not, if it cannot be done. */
  async #refusal(
    context: Context,
    by: string,
    { agent, action, content = "" }: ReflectionAdjustment,
  ): Promise<string | undefined> {
    if (action !== "release" && content.trim() === "") return `${action} without content`;
    if (action === "spawn") return this.#spawn(by, agent, content);
    const { team, window } = this.#parts;
    const id = window.idOf(agent);
    if (id === undefined) return "nobody has this id";
    if (window.hasLeft(id)) return "it takes part no more";
    if (id !== by && !mayReach(team.spec(by), id)) return `${by} may not write to it`;
    switch (action) {
      case "release":
        if (id === by) return "nobody releases itself";
        await context.release(id, "released after a reflection");
        window.leave(id);
        return undefined;
      case "message":
        await context.post({ text: content, to: [id], mentionsIn: "" });
        this.#wake(id);
        return undefined;
      default:
        if (window.statusOf(id) === "done") return "it is done with its part: spawn another one";
        team.reassign(id, content);
        await context.interrupt(id);
        this.#wake(id);
        return undefined;
    }
  }

  async #spawn(by: string, id: string, content: string): Promise<string | undefined> {
    const { context, agents, team, window } = this.#parts;
    if (!ID_PATTERN.test(id) || RESERVED_AGENT_IDS.has(id.toLowerCase()))
      return "no id of an agent";
    const template = team.spec(by) ?? agents[0];
    if (template === undefined) return "nobody has a backend that it could have";
    const handle = await team.admit(copyOf(template, id));
    window.join(id);
    const isTold = handle.conventions !== "none";
    const facts = team.facts(id, isTold && handle.demandsSignal ? "DONE" : undefined);
    const prompt = isTold ? withTask(renderConvention(spawnedConvention, facts), content) : content;
    const scope = context.scope(`reflected-${id}`, (branch) =>
      branch.turn(id, prompt, { task: content, announce: "text" }),
    );
    scope.result.catch(() => {});
    this.#spawned.push(scope);
    return undefined;
  }

  /** Ends what was started: `wait` lets those that were spawned end by themselves. */
  async end(how: "wait" | "cut"): Promise<void> {
    if (how === "cut") for (const scope of this.#spawned) scope.cancel("the pattern is over");
    const { context } = this.#parts;
    for (const end of await Promise.allSettled(this.#spawned.map(({ result }) => result))) {
      if (end.status === "fulfilled" || how === "cut") continue;
      const { message } = reportUnlessCancelled(end.reason);
      context.log("warning", `an agent that a reflection has spawned failed: ${message}`);
    }
  }
}

function mayReach(spec: AgentSpec | undefined, agent: string): boolean {
  return spec?.writesTo?.includes(agent) !== false;
}

/** The same kind of agent within the same bounds, without the part that it has in the pattern. */
function copyOf(template: AgentSpec, id: string): AgentSpec {
  const { name, role, reportsTo, task, session, wakes, demandsSignal, writesTo, ...same } =
    template;
  // What it comes to is posted to the channel.
  const reach = writesTo && [...new Set([...writesTo, "#"])];
  return { ...same, id, copyOf: template.id, ...present({ writesTo: reach }) };
}

/** What has gone wrong, for whoever goes on without it. Throws cancellation. */
export function reportUnlessCancelled(thrown: unknown): { readonly message: string } {
  if (thrown instanceof TroupeError && thrown.code === "ENGINE_CANCELLED") throw thrown;
  return toErrorReport(thrown);
}
