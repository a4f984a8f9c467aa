import type { Json } from "../foundation/json.ts";
import type { Budget } from "./budget.ts";
import type { ResourceLimits } from "./host.ts";
import type { ShadowBinding } from "./shadow.ts";

/** Where an agent is in its life (AGT-7). */
export type AgentStatus =
  | "starting"
  | "idle"
  | "working"
  | "waiting-permission"
  | "stuck"
  | "exited";

/** How an agent's life ended. */
export type AgentExitReason = "exited" | "released" | "timeout" | "failed" | "cancelled";

/** Why a task counts as done (SIG-5). */
export type CompletionReason =
  | "done-signal"
  | "verified"
  | "exit"
  | "released"
  | "timeout"
  | "failed";

/** What an agent can be in its pattern. */
export const AGENT_ROLES = [
  "lead",
  "worker",
  "reviewer",
  "voter",
  "peer",
  "coordinator",
  "hub",
  "judge",
  "debater",
] as const;

/** What an agent is in its pattern. */
export type AgentRole = (typeof AGENT_ROLES)[number];

/** The ways in which agents are let work (AGT-10). */
export const PERMISSION_MODES = [
  "ask",
  "accept-edits",
  "plan",
  "dont-ask",
  "delegate",
  "bypass",
] as const;

/** What an agent may do without asking. */
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** How much a model may think before it answers, in the words of AI SDK. */
export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** How much a model may think before it answers. */
export type Effort = (typeof EFFORTS)[number];

/** What an agent may do to files and the network (AGT-12). Patterns count from the directory where it works. */
export interface AgentConstraints {
  readonly fileScope?: {
    /** The only files that it may change. Absent: any. */
    readonly include?: readonly string[];
    /** Files that it may not change after all. */
    readonly exclude?: readonly string[];
  };
  /** Files that stay as they are. */
  readonly readOnly?: readonly string[];
  /** In a sandbox: `true` any public host, `false` nothing but Troupe's tools. Absent: what its model and the configuration name. */
  readonly network?: boolean;
}

/** What an agent may do to others in a turn that its pattern gives it. */
export type TurnRights = Pick<AgentSpec, "writesTo" | "signals">;

/** A server of the Model Context Protocol: a program that is started, or an address. */
export type McpServerSpec =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: { readonly [name: string]: string };
    }
  | { readonly url: string; readonly headers?: { readonly [name: string]: string } };

/** An agent as a workflow declares it, resolved: what `spawn` journals. */
export interface AgentSpec {
  readonly id: string;
  /** A label for people; the id when absent. */
  readonly name?: string;
  readonly role?: AgentRole;
  readonly backend: string;
  /** The agent type that it was made of, for people. */
  readonly type?: string;
  readonly model?: string;
  /** `fresh`: each step on its own session (default). `keep`: one session for all turns. */
  readonly session?: "fresh" | "keep";
  readonly reportsTo?: string;
  /** Its part in a pattern that has no steps: a template. */
  readonly task?: string;
  /**
   * Which messages start a turn of their own where it keeps its session. `reports`: all but ACK, PROGRESS and what
   * Troupe says. Those that start none wait for its next turn. Absent: all.
   */
  readonly wakes?: "reports" | "never";
  /** Whom it may write to: ids of agents, `user`, and `#` for channels; its spawner and its children besides. Absent: all. */
  readonly writesTo?: readonly string[];
  /** Channels that it is told of, without `#`: what it posts to nobody goes to the first, and it reads no other. Absent: the main one. */
  readonly channels?: readonly string[];
  /** Which signals of roles count of it, by kind: others are refused. Absent: all. */
  readonly signals?: readonly string[];
  /**
   * It was asked for one task: it ends with the turn that this takes (SUB-8). In the `background` nobody is asked
   * what it may do: what would be a question is denied (SUB-9).
   */
  readonly subagent?: "foreground" | "background";
  /** The agent that asked for this one; agents of the workflow itself have none. */
  readonly spawnedBy?: string;
  /** The agent of the workflow that it is a copy of: what was given in code for that one is its own too. */
  readonly copyOf?: string;
  /** Absolute directory where the agent works. */
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  /** Variables that its processes get from those of this one, by name: their values are never journaled. */
  readonly envFrom?: { readonly [name: string]: string };
  readonly permissionMode?: PermissionMode;
  /** What keeps its work apart (AGT-13). Absent: it works in `cwd` like everybody else. */
  readonly isolation?: "worktree" | "sandbox";
  /** Files that it may not touch and whether it has a network, checked after every turn. */
  readonly constraints?: AgentConstraints;
  /** What its programs may take of the machine; the configuration says what is left out. */
  readonly limits?: Partial<ResourceLimits>;
  /** What a died session means for its turn. Defaults to `resume`. */
  readonly onCrash?: "resume" | "restart" | "fail";
  /** How long its turns may show no sign of life, in ms. Defaults to 10 minutes where it asks a model, else to any time. */
  readonly idleTimeoutMs?: number;
  /** Whether a step must give a signal when it names none. Defaults to what the backend says. */
  readonly demandsSignal?: boolean;
  /** What all turns of this agent may consume; then its turns fail. */
  readonly budget?: Budget;
  /** Names of the tools that the agent may use, its own and Troupe's. Absent: all (KCK-7). */
  readonly tools?: readonly string[];
  /** Names of tools that it may not use whatever `tools` says; `*` stands for any text. */
  readonly disallowedTools?: readonly string[];
  /** Most answers of its model in one turn. Defaults to 100. */
  readonly maxTurns?: number;
  /** How much its model may think. Defaults to what its provider says. */
  readonly effort?: Effort;
  /** Most tokens of one answer of its model. Defaults to what its provider says. */
  readonly maxOutputTokens?: number;
  /** Servers of MCP whose tools it may use as `mcp__NAME__TOOL`. `${VAR}` in `env` and `headers` is a variable of whoever starts the run. */
  readonly mcpServers?: { readonly [name: string]: McpServerSpec };
  /** Whether its plans are approved by themselves. Defaults to false. */
  readonly autoApprovePlanMode?: boolean;
  /** Names of those tools that the program of the run answers which the agent is offered. Absent: none. */
  readonly asks?: readonly string[];
  /** Whether it is offered the tools to spawn agents, beside those that `tools` names. Defaults to false. */
  readonly spawns?: boolean;
  /** `allow`: the own agents and tasks of its program stay switched on beside Troupe's (COL-16). */
  readonly nativeAgents?: "allow";
  /** It follows another agent: no prompt is its own, it keeps its session, and no signal of its counts. */
  readonly shadow?: ShadowBinding;
  /** What only the backend understands: `command`, `script`, `module`, `args`, `systemPrompt`. */
  readonly settings?: { readonly [key: string]: Json };
}

/** What a program holds of an agent that it spawned. */
export interface AgentHandle {
  readonly id: string;
  readonly name: string;
  readonly backend: string;
  /** How the agent is told its conventions: in the prompt, through tools, or not at all. */
  readonly conventions: "text" | "tools" | "none";
  /** Whether a step of this agent must give a signal when it names none. */
  readonly demandsSignal: boolean;
  /** Before the names of Troupe's tools, as its program shows them. Absent: it is told of none that it calls. */
  readonly toolPrefix?: string;
  /** Absolute directory where it works, for programs that have asked for it. */
  readonly directory?: string;
  /** Whether it works elsewhere than the run: in another directory, or a worktree. Absent in runs that began before agents said so. */
  readonly isApart?: true;
}

/** The tool that gives a task to a subagent; some programs have one of that name. */
export const TASK_TOOL = "Task";

/** Tools that agents bring themselves, by the names that every backend is told them by (LOOP-2). */
export const OWN_TOOLS: readonly string[] = [
  ...["Read", "Write", "Edit", "MultiEdit", "Bash", "Glob", "Grep", "LS", "TodoWrite"],
  ...["WebFetch", "WebSearch", "NotebookEdit"],
  ...["Task", "Agent", "TaskOutput", "TaskStop"],
  ...["EnterPlanMode", "ExitPlanMode", "AskUserQuestion"],
];

/** Tools of servers of MCP: no list says which there are. */
const SERVER_TOOL = /^mcp__[\w*-]+$/;
/** Stands in a list that is all tools but the denied ones: nobody has chosen any of them. */
export const UNCHOSEN = "mcp__**";

/** Whether this can be the name of a tool; Troupe's own are known to whoever asks. */
export function isToolName(name: string, troupeTools: readonly string[]): boolean {
  return OWN_TOOLS.includes(name) || troupeTools.includes(name) || SERVER_TOOL.test(name);
}

/** Whether a list names a tool. `mcp__server` means all of that server, and `*` stands for any text. */
export function isNamedBy(names: readonly string[] | undefined, tool: string): boolean {
  return (
    names?.some((name) => name === tool || isServerOf(name, tool) || fits(name, tool)) ?? false
  );
}

function isServerOf(name: string, tool: string): boolean {
  return /^mcp__[^_]+(?:_[^_]+)*$/.test(name) && tool.startsWith(`${name}__`);
}

/** Nobody writes a name with many stars: each splits the rest once. */
function fits(pattern: string, tool: string): boolean {
  if (!pattern.includes("*")) return false;
  const [first = "", ...rest] = pattern.split("*");
  if (!tool.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    if (index === rest.length - 1) return tool.length - part.length >= at && tool.endsWith(part);
    const next = tool.indexOf(part, at);
    if (next < 0) return false;
    at = next + part.length;
  }
  return true;
}

/**
 * The agent as its backend is told of it: `tools` are those that are left of its own (SUB-3). Of Troupe's tools the
 * offer is made apart.
 */
export function withoutDisallowed(spec: AgentSpec): AgentSpec {
  const { tools, disallowedTools = [] } = spec;
  if (disallowedTools.length === 0) return spec;
  const all = tools ?? [...OWN_TOOLS, UNCHOSEN];
  return { ...spec, tools: all.filter((tool) => !isNamedBy(disallowedTools, tool)) };
}
