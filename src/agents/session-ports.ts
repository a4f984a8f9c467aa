import type { TurnUpdate } from "../contracts/backend.ts";
import type { ContextDoor } from "../contracts/context-access.ts";
import type { Host } from "../contracts/host.ts";
import type { TurnOptions } from "../contracts/ports/context.ts";
import type { DescribedTool, SharedParts, ToolContext, ToolOffer } from "../contracts/tool.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import type { Json } from "../foundation/json.ts";
import type { Semaphore } from "../foundation/semaphore.ts";
import type { BudgetKeeper } from "./budget/budget-keeper.ts";
import type { CollabDoor } from "./collab-door.ts";
import type { RateGovernor } from "./governor/rate-governor.ts";
import type { PermissionRules } from "./permission-rules.ts";
import type { PermissionTimeout } from "./permission-timeout.ts";
import type { AgentPlaces } from "./places/agent-place.ts";
import type { ResolutionWatch } from "./resolution-watch.ts";

/** Whether what the project configures for the program of a backend may take effect in a directory (SEC-1). */
export type TrustsProject = (backend: string, cwd: string) => boolean;

/** How the agents of a run work together: what its workflow says. */
export interface RunCustoms {
  readonly mainChannel: string;
  /** Words that count as signals in every turn of the run: those that its barriers wait for. */
  readonly markers: readonly string[];
  /** Whether a turn that no prompt asked for takes messages, whatever its backend. */
  readonly isMessageDriven: boolean;
  /** What the end of a turn that no prompt asked for posts to the main channel as its agent. */
  readonly announces: NonNullable<TurnOptions["announce"]>;
  /** What agents are offered tools for. */
  readonly shares: SharedParts;
}

/** What decides on permission requests beside the modes of agents and people. */
export interface PermissionPolicy {
  readonly rules: PermissionRules;
  /** Undefined: requests wait until somebody decides. */
  readonly timeout: PermissionTimeout | undefined;
}

/** What whoever carries a run out gives its agents: built once, and the same for all of them. */
export interface AgentMeans {
  /** Places for turns that run at the same time on a backend. */
  readonly slots: (backend: string) => Semaphore;
  /** Keeps accounts to what their providers take. Undefined: nobody waits for them. */
  readonly governor: RateGovernor | undefined;
  /** Lets processes of agents in. Undefined: they have no way in. */
  readonly contextDoor: ContextDoor | undefined;
  readonly permissions: PermissionPolicy;
  readonly trustsProject: TrustsProject;
  /** Sees every update as it comes, before anything is durable: for live views of text only. */
  readonly onUpdate: ((agent: string, update: TurnUpdate, turn: number) => void) | undefined;
}

/** Troupe's own tools. */
export interface AgentTools {
  /** Calls one as an agent. */
  readonly call: (name: string, input: Json, context: ToolContext) => Promise<Json>;
  /** Names of those of an offer; `call` refuses others. */
  readonly offered: (offer: ToolOffer) => readonly string[];
  /** Tells of those with these names. */
  readonly describe: (names: readonly string[]) => Promise<readonly DescribedTool[]>;
}

/** What is kept of an agent beside the journal. */
export interface AgentFiles {
  /** Its full log; undefined in runs that keep no files. */
  readonly logFile: (agent: string) => string | undefined;
  /** Makes a directory of it alone; undefined in runs that keep no files. */
  readonly directory: (agent: string) => string | undefined;
}

/** What sessions need of their run and this machine. */
export interface SessionPorts {
  readonly runtime: RunRuntime;
  readonly budget: BudgetKeeper;
  readonly host: Host;
  readonly customs: RunCustoms;
  readonly means: AgentMeans;
  readonly tools: AgentTools;
  readonly resolutions: ResolutionWatch;
  readonly files: AgentFiles;
  /** Where agents work. Undefined: each in the directory that it is declared with, without bounds. */
  readonly agentPlaces: AgentPlaces | undefined;
  /** Lets agents spawn others. Undefined: none may. */
  readonly collab: CollabDoor | undefined;
}
