import type { AgentSpec } from "../../../contracts/agent.ts";
import type { Context } from "../../../contracts/ports/context.ts";
import type { Subscription } from "../../../contracts/selector.ts";
import { count } from "../../../foundation/count.ts";
import { toErrorReport } from "../../../foundation/errors.ts";
import { crewOf, shadowsIn } from "./crew.ts";

// What shadows do never decides how a run ends: they are waited for only so long, and what goes wrong with
// them is told in the log.

/** Shadows that are followed from the beginning of a run. */
export interface FollowedShadows {
  /** Ends the agents that work, and lets the shadows say what they have to say about it. Rejects only on cancellation. */
  lastWords(): Promise<void>;
}

const MAX_WAIT_MS = 300_000;
/** What is left of the running time for the rest of the run. */
const REST_MS = 1000;

/** Follows the shadows among some agents; `timeoutMs` is the running time of the whole run. Before they are spawned. */
export function followShadows(
  context: Context,
  { agents, timeoutMs = Infinity }: RunParts,
): FollowedShadows {
  const ids = shadowsIn(agents).map(({ id }) => id);
  if (ids.length === 0) return { lastWords: async () => {} };
  const startedAt = context.now();
  const failures = context.subscribe({ kinds: ["dead-letter", "agent-exited"], from: ids });
  return {
    lastWords: async () => {
      await Promise.all(
        crewOf(agents).map(({ id }) => context.release(id, "its work in this run is over")),
      );
      const leftMs = timeoutMs - (context.now() - startedAt) - REST_MS;
      await untilQuiet(context, Math.min(MAX_WAIT_MS, Math.max(REST_MS, leftMs)));
      await tellFailures(context, failures);
    },
  };
}

interface RunParts {
  readonly agents: readonly AgentSpec[];
  readonly timeoutMs?: number | undefined;
}

async function untilQuiet(context: Context, timeoutMs: number): Promise<void> {
  const scope = context.scope("shadows", (branch) => branch.quiescent({ quietMs: 0 }), {
    timeoutMs,
  });
  try {
    await scope.result;
  } catch (error) {
    if (toErrorReport(error).code !== "ENGINE_TIMED_OUT") throw error;
    const seconds = count(Math.round(timeoutMs / 1000), "second");
    context.log("warning", `the shadows had not come to an end after ${seconds} and were cut off`);
  }
}

/** One line for each shadow that gave up, or that messages could not reach. */
async function tellFailures(context: Context, failures: Subscription): Promise<void> {
  const lost = new Map<string, number>();
  for (;;) {
    const event = await context.next(failures, { timeoutMs: 0 });
    if (event === undefined) break;
    if (event.type === "message-dead") lost.set(event.agent, (lost.get(event.agent) ?? 0) + 1);
    if (event.type !== "agent-exited" || event.error === undefined) continue;
    const why = event.error.message.replace(/\s+/g, " ").slice(0, 500).toWellFormed();
    context.log("warning", `shadow "${event.agent}" gave up: ${why}`);
  }
  for (const [agent, messages] of lost) {
    const what = `${count(messages, "message")} to shadow "${agent}"`;
    context.log("warning", `${what} could not be worked on and went to the dead letters`);
  }
}
