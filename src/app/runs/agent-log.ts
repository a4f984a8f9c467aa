import { join } from "node:path";
import type { Machine } from "../machine/machine.ts";

/** Where all is kept that the program of an agent prints, in the directory of the agent's run. */
export function agentLogIn(runDirectory: string, agent: string): string {
  return join(runDirectory, "logs", `${agent}.log`);
}

/** The log of an agent of a run of this project; nothing need be there. */
export function agentLog({ project }: Machine, run: string, agent: string): string {
  return agentLogIn(join(project.runsDirectory, run), agent);
}
