import { ancestorsOf } from "../../fold/state/agent-lookup.ts";
import type { AgentState } from "../../fold/state/agent-state.ts";
import type { Timer } from "../../foundation/clock.ts";
import type { CallerView } from "./caller-view.ts";
import type { CollabOptions } from "./collab-options.ts";
import { collabNotYours } from "./errors.ts";
import { isDescendant } from "./reach.ts";

/** Backends are given this time to end processes before an answer says that they have not. */
const CLOSE_PATIENCE_MS = 10_000;

/** Whether whoever sees agents like that may close one of them (COL-14). Raises COLLAB_NOT_YOURS. */
export function assertMayClose({ state, self }: CallerView, agent: AgentState): void {
  if (isDescendant(state, agent, self.id)) return;
  const isAbove = ancestorsOf(state, self.spec).includes(agent.id);
  const problem = isAbove ? "it is above you" : "it belongs to the workflow";
  throw collabNotYours({ agent: agent.id, problem });
}

/** Resolves once agents have ended, or when they have had their time: who ends late is ended all the same. */
export async function closeAgents(
  { runtime, staff }: Pick<CollabOptions, "runtime" | "staff">,
  agents: readonly AgentState[],
  by: string,
): Promise<void> {
  const ended = Promise.all(agents.map(({ id }) => staff.dismiss(id, `closed by ${by}`, 0))).catch(
    (error: unknown) => runtime.fail(error),
  );
  let timer: Timer | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = runtime.timers.startTimer(CLOSE_PATIENCE_MS, resolve);
  });
  await Promise.race([ended, patience]);
  timer?.cancel();
}
