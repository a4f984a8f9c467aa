import type { Machine } from "../../app/machine/machine.ts";
import { agentLog } from "../../app/runs/agent-log.ts";
import { fold } from "../../fold/fold.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { toPrintable } from "../../foundation/printable.ts";
import type { Invocation } from "../command/command.ts";
import { copyLog, followLog } from "../terminal/log-file.ts";
import { followToEnd } from "./follow-to-end.ts";

/** An agent, and the run in which it takes part, as far as it was read. */
export interface AgentOfRun {
  readonly agent: string;
  readonly state: RunState;
}

/** Shows all that the program of an agent printed, and with `isFollowed` what it adds until the run is over. */
export async function showAgentLog(
  machine: Machine,
  { agent, state, isFollowed }: AgentOfRun & { readonly isFollowed: boolean },
  invocation: Pick<Invocation, "io" | "settings">,
): Promise<void> {
  const { io, settings } = invocation;
  const file = agentLog(machine, state.run.id, agent);
  let isAnyShown = false;
  const write = (line: string) => {
    isAnyShown = true;
    io.stdout.write(`${toPrintable(line)}\n`);
  };
  if (isFollowed) {
    const over = new AbortController();
    const following = followLog(file, 0, { write, signal: over.signal });
    const run = { state, take: (event: Parameters<typeof fold>[1]) => void fold(state, event) };
    await followToEnd(machine, run, invocation).finally(() => over.abort());
    await following;
  } else copyLog(file, write);
  if (!isAnyShown && !settings.isQuiet)
    io.stderr.write(`the program of ${agent} has printed nothing\n`);
}
