import type { AgentSpec, Effort, PermissionMode } from "../../contracts/agent.ts";
import type { ChildRequest } from "../../contracts/collab.ts";
import type { AgentState } from "../../fold/state/agent-state.ts";
import { ID_PATTERN, RESERVED_AGENT_IDS } from "../../foundation/ids.ts";
import { present } from "../../foundation/present.ts";
import { wishedModel } from "../model-word.ts";
import { collabNameInvalid } from "./errors.ts";

// What an agent gets that another one asks for.
// H1: nothing of it goes beyond what its parent has: permissions, tools, files, sandbox, directory.
// H2: a request decides what the child is to do and on what it runs, never what it may do.

/** The kind of an agent: a role or an agent type. Absent members are those of whoever asks. */
export interface ChildKind {
  readonly backend?: string;
  /** A model, or a word that means one with some backends. */
  readonly model?: string;
  /** Instructions before everything else. */
  readonly instructions?: string;
  readonly permissionMode?: PermissionMode;
  readonly tools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly maxTurns?: number;
  /** Whether its tasks are carried out while whoever gives them goes on. */
  readonly isBackground?: true;
  readonly mcpServers?: NonNullable<AgentSpec["mcpServers"]>;
  readonly effort?: Effort;
  readonly maxOutputTokens?: number;
  readonly isolation?: "worktree" | "sandbox";
  readonly limits?: AgentSpec["limits"];
}

/** The agent that is to be. */
export interface Child {
  readonly id: string;
  readonly request: ChildRequest;
  readonly kind: ChildKind;
  /** Names of the tools that deal with agents of one's own. */
  readonly collabTools: readonly string[];
}

/** Leaves room for a number. */
const MAX_STEM_CHARS = 50;

/** The id of the agent that is asked for: its name, else `<role or type>-N`. Raises COLLAB_NAME_INVALID. */
export function freeChildId(
  { name, role, type }: ChildRequest,
  isTaken: (id: string) => boolean,
): string {
  if (name !== undefined) {
    const problem = nameProblem(name) ?? (isTaken(name) ? "that name is taken" : undefined);
    if (problem !== undefined) throw collabNameInvalid({ name, problem });
    return name;
  }
  const stem = (type ?? role ?? "worker").slice(0, MAX_STEM_CHARS);
  for (let number = 1; ; number += 1) if (!isTaken(`${stem}-${number}`)) return `${stem}-${number}`;
}

/** The declaration of a child. */
export function childSpec(parent: AgentState, child: Child): AgentSpec {
  const { spec } = parent;
  const { id, request, kind } = child;
  const backend = request.backend ?? kind.backend ?? spec.backend;
  const isSame = backend === spec.backend;
  const model =
    request.model ?? wishedModel(kind.model, backend) ?? (isSame ? spec.model : undefined);
  const settings = settingsOf(spec, kind, isSame);
  const cwd = parent.place?.directory ?? spec.cwd;
  const isolation =
    spec.isolation === "sandbox" ? "sandbox" : (request.isolation ?? kind.isolation);
  const tools = toolsOf(spec, child);
  return {
    ...inherited(spec),
    id,
    role: "worker",
    backend,
    session: "keep",
    reportsTo: spec.id,
    spawnedBy: spec.id,
    // Whoever helps has no role whose signals could count.
    signals: [],
    permissionMode: lowerMode(spec.permissionMode ?? "ask", kind.permissionMode),
    demandsSignal: false,
    ...present({ name: request.description, type: request.type, subagent: request.subagent }),
    ...(model === undefined ? {} : { model }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(request.budget === undefined ? {} : { budget: request.budget }),
    ...(tools === undefined ? {} : { tools }),
    ...boundsOf(spec, child),
    ...(kind.limits === undefined ? {} : { limits: { ...kind.limits, ...spec.limits } }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  };
}

/** What a child has from its parent whatever is asked for. */
function inherited(spec: AgentSpec): Partial<AgentSpec> {
  const { env, envFrom, constraints, limits, idleTimeoutMs, spawns, nativeAgents } = spec;
  return {
    ...present({ channels: spec.channels }),
    ...(env === undefined ? {} : { env }),
    ...(envFrom === undefined ? {} : { envFrom }),
    ...(constraints === undefined ? {} : { constraints }),
    ...(limits === undefined ? {} : { limits }),
    ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    ...(spawns === undefined ? {} : { spawns }),
    ...(nativeAgents === undefined ? {} : { nativeAgents }),
  };
}

/** From the one that may least to the one that may most. A leader that only delegates asks for the others. */
const MODES: readonly PermissionMode[] = [
  "plan",
  "dont-ask",
  "delegate",
  "ask",
  "accept-edits",
  "bypass",
];

function lowerMode(parent: PermissionMode, wanted: PermissionMode | undefined): PermissionMode {
  const ceiling = parent === "delegate" ? "ask" : parent;
  if (wanted === undefined) return ceiling;
  return MODES.indexOf(wanted) < MODES.indexOf(ceiling) ? wanted : ceiling;
}

/** Absent: all. Of Troupe's tools nobody gets all because a list has none of them. */
function toolsOf(spec: AgentSpec, { kind, collabTools }: Child): readonly string[] | undefined {
  const { tools: own } = spec;
  const wanted = kind.tools ?? own;
  if (wanted === undefined) return undefined;
  const within = own === undefined ? wanted : wanted.filter((tool) => own.includes(tool));
  const kept = (own ?? []).filter((tool) => collabTools.includes(tool));
  return [...new Set([...within, ...kept])];
}

/**
 * Never for subagents (SUB-3): they ask nobody, and nothing of theirs goes on after them. What ends planning stays
 * where all it may do is plan.
 */
function deniedToSubagents(mode: PermissionMode): readonly string[] {
  const planning = mode === "plan" ? [] : ["ExitPlanMode"];
  return ["EnterPlanMode", ...planning, "AskUserQuestion", "TaskOutput", "TaskStop"];
}

/** What is denied to either is denied to the child; its loop is bounded as its kind says, else as its parent's. */
function boundsOf(spec: AgentSpec, { kind, request }: Child): Partial<AgentSpec> {
  const mode = lowerMode(spec.permissionMode ?? "ask", kind.permissionMode);
  const disallowed = [
    ...(request.subagent === undefined ? [] : deniedToSubagents(mode)),
    ...(spec.disallowedTools ?? []),
    ...(kind.disallowedTools ?? []),
  ];
  const { effort = spec.effort, maxOutputTokens = spec.maxOutputTokens } = kind;
  const most = [request.maxTurns, kind.maxTurns, spec.maxTurns].filter(
    (each) => each !== undefined,
  );
  return {
    ...(disallowed.length === 0 ? {} : { disallowedTools: [...new Set(disallowed)] }),
    ...(most.length === 0 ? {} : { maxTurns: Math.min(...most) }),
    ...present({ effort, maxOutputTokens, mcpServers: bothOf(spec.mcpServers, kind.mcpServers) }),
  };
}

/** Servers are always inherited (SUB-4). */
function bothOf(
  own: AgentSpec["mcpServers"],
  more: AgentSpec["mcpServers"],
): AgentSpec["mcpServers"] {
  return own === undefined && more === undefined ? undefined : { ...more, ...own };
}

/** A program is the same for both; a role and a script are those of one agent. */
function settingsOf(
  spec: AgentSpec,
  { instructions }: ChildKind,
  isSame: boolean,
): NonNullable<AgentSpec["settings"]> {
  const { systemPrompt: _role, script: _script, ...program } = spec.settings ?? {};
  return {
    ...(isSame ? program : {}),
    ...(instructions === undefined ? {} : { systemPrompt: instructions }),
  };
}

function nameProblem(name: string): string | undefined {
  if (RESERVED_AGENT_IDS.has(name.toLowerCase())) return "it stands for somebody else";
  return ID_PATTERN.test(name) ? undefined : "it is no valid id";
}
