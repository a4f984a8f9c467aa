import type { BackendSettings } from "../../../agents/backends/parts/backend-settings.ts";
import type { PermissionMode } from "../../../contracts/agent.ts";
import type { PriceTable } from "../../../contracts/price.ts";
import type { AgentLimitsEntry } from "../../../workflows/schema/agent-limits-schema.ts";

/** What an agent gets when neither the command line nor its workflow says so. */
export interface DefaultSettings {
  readonly backend?: string;
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly maxConcurrency?: number;
  /** Running time of a whole run, such as `10m`. */
  readonly timeout?: string;
}

/** Bounds on what runs take of this machine. */
export interface LimitSettings {
  readonly maxAgents?: number;
  readonly maxDepth?: number;
  /** Failed turns in a row after which a run stops. */
  readonly failures?: number;
  readonly hostConcurrency?: number;
  readonly accountConcurrency?: number;
  readonly agent?: AgentLimitsEntry;
}

/** How long agents wait for those that they have spawned: durations such as `5m`. */
export interface CollabSettings {
  readonly defaultWaitTimeout?: string;
  readonly maxWaitTimeout?: string;
}

/** What a run may use up; `cost` in USD, `wallClock` a duration, `soft` a share. */
export interface BudgetSettings {
  readonly cost?: number;
  readonly tokens?: number;
  readonly turns?: number;
  readonly messages?: number;
  readonly agents?: number;
  readonly wallClock?: string;
  readonly soft?: number;
  readonly perDay?: number;
}

/** What configuration files say, one or several merged. */
export interface ConfigSettings {
  readonly $schema?: string;
  readonly version?: 1;
  readonly defaults?: DefaultSettings;
  readonly backends?: { readonly [name: string]: BackendSettings };
  readonly roles?: { readonly [name: string]: RoleSettings };
  readonly permissions?: {
    readonly allow?: readonly string[];
    readonly deny?: readonly string[];
    /** How long a request waits for a person, such as `10m`. */
    readonly timeout?: string;
    readonly onTimeout?: "deny" | "allow";
  };
  readonly env?: { readonly allow?: readonly string[] };
  /** What sandboxes let in beside all else; `~` is the home. */
  readonly sandbox?: {
    readonly read?: readonly string[];
    readonly write?: readonly string[];
    /** Hosts and addresses beyond those of the models. */
    readonly network?: readonly string[];
  };
  /** Names of environment variables whose values are masked everywhere. */
  readonly secrets?: readonly string[];
  readonly limits?: LimitSettings;
  readonly collab?: CollabSettings;
  readonly budget?: BudgetSettings;
  readonly prices?: PriceTable;
  readonly workflows?: RegistrySettings;
  readonly plugins?: readonly string[];
  readonly notify?: boolean;
  readonly engine?: "embedded" | { readonly restate: string };
}

/** Workflows that others find by their id. */
export interface RegistrySettings {
  readonly enabled?: boolean;
  /** Relative to the file that says it. */
  readonly dir?: string;
  /** By id, the workflows that may use it. */
  readonly visibleTo?: { readonly [workflow: string]: readonly string[] };
  readonly disabled?: readonly string[];
}

/** What agents of a role start with. */
export interface RoleSettings {
  readonly backend?: string;
  readonly model?: string;
  readonly instructions?: string;
  readonly permissionMode?: PermissionMode;
  readonly tools?: readonly string[];
  readonly isolation?: "worktree" | "sandbox";
}
