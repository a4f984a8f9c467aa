import type { TurnUpdate } from "../contracts/backend.ts";
import type { ContextDoor } from "../contracts/context-access.ts";
import type { Host } from "../contracts/host.ts";
import type { TurnOptions } from "../contracts/ports/context.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import type { Semaphore } from "../foundation/semaphore.ts";
import type { AgentRequestsOptions } from "./agent-requests.ts";
import type { BudgetKeeper } from "./budget/budget-keeper.ts";
import type { RateGovernor } from "./governor/rate-governor.ts";
import type { AgentPlaces } from "./places/agent-place.ts";

/** Whether what the project configures for the program of a backend may take effect in a directory (SEC-1). */
export type TrustsProject = (backend: string, cwd: string) => boolean;

/** What sessions need of their run and this machine. */
export interface SessionPorts extends AgentRequestsOptions {
  readonly runtime: RunRuntime;
  readonly budget: BudgetKeeper;
  readonly host: Host;
  /** Words that count as signals in every turn of the run: those that its barriers wait for. */
  readonly markers: readonly string[];
  /** Whether a turn that no prompt asked for takes messages, whatever its backend. Defaults to false. */
  readonly isMessageDriven?: boolean;
  /** What a turn announces that no prompt asked for. Defaults to `none`. */
  readonly announces?: NonNullable<TurnOptions["announce"]>;
  /** Lets processes of agents in. Absent: they have no way in. */
  readonly contextDoor?: ContextDoor;
  /** Places for turns that run at the same time on a backend. */
  readonly slots: (backend: string) => Semaphore;
  /** Keeps accounts to what their providers take. Absent: nobody waits for them. */
  readonly governor?: RateGovernor;
  /** Full log of an agent; absent in runs that keep no files. */
  readonly logFile: (agent: string) => string | undefined;
  /** Makes the directory of an agent alone; absent in runs that keep no files. */
  readonly directory?: (agent: string) => string;
  /** Where agents work. Absent: each in the directory that it is declared with, without bounds. */
  readonly agentPlaces?: AgentPlaces;
  /** Whether what the project configures for an agent's own program may take effect. Defaults to never. */
  readonly trustsProject?: TrustsProject;
  /** Sees every update as it comes, before anything is durable: for live views of text only. */
  readonly onUpdate?: (agent: string, update: TurnUpdate, turn: number) => void;
}
