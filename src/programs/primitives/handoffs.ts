import { z } from "zod";
import type { PatternAdvance } from "../../contracts/ports/pattern.ts";
import type { Json } from "../../foundation/json.ts";

// Who gets a task that is handed over, and where it went in circles. Pure.

/** Who may hold a task. Ids as declared. */
export interface Routing {
  readonly entry: string;
  /** Who gets what nobody else can take. Absent: the entry. */
  readonly fallback: string | undefined;
  readonly routes: readonly Route[];
  readonly maxHandoffs: number;
}

/** An agent that may get the task. */
export interface Route {
  readonly agent: string;
  /** When it is to get it, in words. */
  readonly condition?: string;
  /** Name of the function that decides it for turns without a signal. */
  readonly test?: string;
}

/** Why a task is where it is. `return`: nobody could take it, so it went back. */
export type HandoffCause = "signal" | "route" | "fallback" | "return";

/** A hand-over that somebody wants. */
export interface WantedHandoff {
  readonly from: string;
  /** As it was written, in any case. */
  readonly to: string;
  readonly by: "signal" | "route";
  /** Whether an agent still takes part. */
  readonly isIn: (agent: string) => boolean;
}

/** Whom an agent may hand over to. */
export function receiversOf({ entry, fallback, routes }: Routing, from: string): readonly Route[] {
  const others = [entry, ...(fallback === undefined ? [] : [fallback])];
  const known = new Set(routes.map(({ agent }) => agent));
  const added = [...new Set(others)].filter((agent) => !known.has(agent));
  return [...routes, ...added.map((agent) => ({ agent }))].filter(({ agent }) => agent !== from);
}

/**
 * Who gets the task: the one who is named, else the fallback, else the entry, else its holder keeps it. Nobody hands
 * over to itself.
 */
export function receiverOf(
  routing: Routing,
  { from, to: name, by, isIn }: WantedHandoff,
): { readonly to: string; readonly by: HandoffCause } {
  const { entry, fallback } = routing;
  const receivers = receiversOf(routing, from).map(({ agent }) => agent);
  const named = receivers.find((agent) => agent.toLowerCase() === name.toLowerCase());
  if (named !== undefined && isIn(named)) return { to: named, by };
  if (fallback !== undefined && isIn(fallback)) return { to: fallback, by: "fallback" };
  return { to: isIn(entry) ? entry : from, by: "return" };
}

const SHORTEST_LOOP = 4;

/** Where two agents handed the task back and forth, each as long as it went on: `a-b-a-b`. */
export function loopsIn(path: readonly string[]): readonly string[] {
  const loops: string[] = [];
  let start = 0;
  for (let index = 1; index <= path.length; index += 1) {
    const isPair = index - start < 2 || path[index] === path[index - 2];
    if (index < path.length && isPair && path[index] !== path[index - 1]) continue;
    if (index - start >= SHORTEST_LOOP) loops.push(path.slice(start, index).join("-"));
    start = path[index] === path[index - 1] ? index : index - 1;
  }
  return loops;
}

const moveNote = z.object({
  from: z.string(),
  to: z.string(),
  reason: z.string(),
  by: z.enum(["signal", "route", "fallback", "return"]),
});
const agentNote = z.object({ agent: z.string() });

/** The way of a task, from what was noted so far. */
export function chainReport(advances: readonly PatternAdvance[]): { readonly [key: string]: Json } {
  const agentsOf = (wanted: string) =>
    advances.flatMap(({ kind, data }) => (kind === wanted ? [agentNote.parse(data).agent] : []));
  const handoffs = advances.flatMap(({ kind, data }) =>
    kind === "handoff" ? [moveNote.parse(data)] : [],
  );
  const path = [...agentsOf("entry"), ...handoffs.map(({ to }) => to)];
  return { path, handoffs, finishedBy: agentsOf("finished")[0] ?? null, loops: loopsIn(path) };
}

/** Hand-overs at most where a file says nothing. */
export const DEFAULT_MAX_HANDOFFS = 5;

/** What a file says of `handoff`. */
export const handoffBlock = z.strictObject({
  entryPoint: z.string().optional().describe("Who holds the task first. Default: the first agent."),
  routes: z
    .array(
      z.strictObject({
        agent: z.string(),
        condition: z
          .string()
          .min(1)
          .optional()
          .describe("When this agent is to get the task, in words."),
        test: z
          .string()
          .min(1)
          .optional()
          .describe(
            "Name of a function of your own that gives the task to this agent, by the text of a turn without DONE and HANDOFF.",
          ),
      }),
    )
    .min(1)
    .optional()
    .describe("Who may get the task. Default: all others."),
  maxHandoffs: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .describe(`Hand-overs at most; then the holder must finish. Default: ${DEFAULT_MAX_HANDOFFS}.`),
  fallback: z
    .string()
    .optional()
    .describe(
      "Who gets the task when it is handed to nobody, or its holder fails. Default: the entry point, and nobody.",
    ),
});
