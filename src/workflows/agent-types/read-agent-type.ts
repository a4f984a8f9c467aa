import { z } from "zod";
import type { TroupeError } from "../../foundation/errors.ts";
import { ID_PATTERN } from "../../foundation/ids.ts";
import { PARSE_ONCE } from "../../foundation/parse-once.ts";
import { present } from "../../foundation/present.ts";
import { idInvalid } from "../checks/errors.ts";
import type { AgentType } from "../resolve/agent-type.ts";
import { resolveLimits } from "../resolve/resolve-limits.ts";
import { agentLimitsSchema } from "../schema/agent-limits-schema.ts";
import { agentMembers, permissionModeSchema } from "../schema/agent-schema.ts";
import { schemaProblems } from "../schema/schema-problems.ts";
import { createLineMap } from "../source/line-map.ts";
import { parseYamlSource } from "../source/parse-yaml.ts";
import {
  entryOf,
  type MapNode,
  type SourceFault,
  type SourceNode,
  toValue,
} from "../source/source-node.ts";
import { agentTypeInvalid, agentTypeKey } from "./errors.ts";
import { withSharedBounds } from "./shared-bounds.ts";
import { readTypeTools } from "./type-tools.ts";

/** What the file of an agent type comes to. */
export type AgentTypeReading =
  | { readonly status: "read"; readonly type: AgentType }
  | { readonly status: "invalid"; readonly error: TroupeError };

// The closing line is searched from the opening one on; both may end like lines of Windows.
const HEAD = /^---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/;

const toolList = z.union([z.string(), z.array(z.string())]);
/** How opencode rules a tool, or the commands of one by patterns. */
const permissionRule = z.enum(["allow", "ask", "deny"]);
const members = {
  name: z.string(),
  description: z.string().min(1),
  tools: z
    .union([toolList, z.record(z.string(), z.boolean())])
    .nullable()
    .optional(),
  permission: z
    .record(z.string(), z.union([permissionRule, z.record(z.string(), permissionRule)]))
    .nullable()
    .optional(),
  disallowedTools: toolList.nullable().optional(),
  model: z.string().min(1).nullable().optional(),
  permissionMode: permissionModeSchema.nullable().optional(),
  isolation: z.enum(["worktree"]).nullable().optional(),
  limits: agentLimitsSchema.nullable().optional(),
  maxTurns: agentMembers.maxTurns.nullable(),
  mcpServers: agentMembers.mcpServers.nullable(),
  background: z.boolean().nullable().optional(),
  effort: agentMembers.effort.nullable(),
  maxOutputTokens: agentMembers.maxOutputTokens.nullable(),
};
const head = z.object(members);
/** Where the name of the file is that of the agent. */
const namelessHead = head.extend({ name: members.name.optional() });

/** Keys that mean something to other tools, or to people. */
const PASSED_OVER: ReadonlySet<string> = new Set(["color", "mode", "hidden"]);
/** Keys that agent types have and that this version does not carry out. */
const NOT_CARRIED_OUT: ReadonlySet<string> = new Set([
  ...["skills", "hooks", "memory", "temperature", "top_p"],
]);
/** Keys that bound an agent elsewhere: without them it could do more than its file says. */
const BOUNDS: ReadonlySet<string> = new Set([
  ...[
    "disabledTools",
    "disabled_tools",
    "deniedTools",
    "denied_tools",
    "denyTools",
    "excludeTools",
  ],
  ...["disallowed_tools", "disallowed-tools", "allowedTools", "allowed_tools", "allowed-tools"],
  ...["permissions", "permission_mode", "permission-mode", "readOnly", "readonly", "read_only"],
  ...["steps", "maxSteps", "disable"],
  ...["sandbox", "sandboxMode", "sandbox_mode", "approvalPolicy", "approval_policy"],
]);
const BOUNDS_HINTS: { readonly [key: string]: string } = {
  steps: "say it by maxTurns, or remove it",
  maxSteps: "say it by maxTurns, or remove it",
  disable: "remove the file, or the line",
};
const BOUNDS_HINT = "say it by tools, disallowedTools, permissionMode or isolation, or remove it";
const KNOWN_KEYS = [...Object.keys(members), ...NOT_CARRIED_OUT, ...PASSED_OVER];
const HEAD_HINT = "begin the file with ---, name: and description: on lines of their own, and ---";

/** What a file says less than others, or what holds beside what it says. */
export interface AgentTypeTerms {
  /** What it is called where its head says no name, as that of opencode does not. */
  readonly nameless?: string | undefined;
  /** What bounds all agents of its tool. */
  readonly shared?: MapNode | undefined;
}

/** Reads the text of an agent type; `file` is how people know it. */
export function readAgentType(
  text: string,
  file: string,
  { nameless, shared }: AgentTypeTerms = {},
): AgentTypeReading {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const { root, bodyStart: promptStart, fault } = readMarkdownHead(source);
  const place = { source, file };
  if (root === undefined || fault !== undefined) {
    const problem = fault?.error.message ?? "it has no name and no description";
    const hint = fault === undefined ? HEAD_HINT : fault.error.hint;
    const where = placeInType(place, fault?.range.start ?? 0);
    const error = agentTypeInvalid({ where, problem, ...present({ hint }) });
    return { status: "invalid", error };
  }
  const prompt = source.slice(promptStart);
  const bound = withSharedBounds(root, shared);
  return readTypeHead({ root: bound, prompt, promptStart, nameless }, place);
}

/** What is said of an agent type beside its prompt, and that. */
export interface TypeHead {
  readonly root: MapNode;
  readonly prompt: string;
  /** Where the prompt begins in the file. */
  readonly promptStart: number;
  /** What it is called where its head says no name. */
  readonly nameless: string | undefined;
}

/** Reads what is said of an agent type. */
export function readTypeHead(
  { root, prompt, promptStart, nameless }: TypeHead,
  place: Pick<AgentType, "source" | "file">,
): AgentTypeReading {
  const fault = headFault(root, nameless);
  if (fault !== undefined) {
    const { message: problem, hint } = fault.error;
    const where = placeInType(place, fault.range.start);
    const error = agentTypeInvalid({ where, problem, ...present({ hint }) });
    return { status: "invalid", error };
  }
  const bound = [...root.entries.values()].find(({ key }) => BOUNDS.has(key));
  if (bound !== undefined) {
    const where = placeInType(place, bound.keyRange.start);
    const problem = `${bound.key} is no key of agent types: the agent could do more than it says`;
    const hint = BOUNDS_HINTS[bound.key] ?? BOUNDS_HINT;
    return { status: "invalid", error: agentTypeInvalid({ where, problem, hint }) };
  }
  const schema = nameless === undefined ? head : namelessHead;
  const { description, model, permissionMode, isolation, limits, ...rest } = schema.parse(
    toValue(root),
    PARSE_ONCE,
  );
  const name = rest.name ?? nameless ?? "";
  const { tools, deniedTools, mustAsk } = readTypeTools({
    ...{
      tools: rest.tools,
      disallowedTools: rest.disallowedTools,
      permission: strictest(rest.permission),
    },
  });
  const type: AgentType = {
    ...{ name, description, ...place, prompt, promptStart },
    ...present({
      // The model of whoever starts the agent is what it has anyway.
      model: model === "inherit" ? undefined : (model ?? undefined),
      permissionMode: permissionMode ?? (mustAsk ? "ask" : undefined),
      isolation: isolation ?? undefined,
      tools,
      deniedTools,
      maxTurns: rest.maxTurns ?? undefined,
      mcpServers: rest.mcpServers ?? undefined,
      isBackground: rest.background === true ? true : undefined,
      effort: rest.effort ?? undefined,
      maxOutputTokens: rest.maxOutputTokens ?? undefined,
    }),
    ...(limits === undefined || limits === null ? {} : { limits: resolveLimits(limits) }),
    doubts: doubtsOf(root, place),
  };
  return { status: "read", type };
}

type WrittenPermission = z.infer<typeof head>["permission"];

/** Rules for single commands as one for all: nothing that any of them withholds is given. */
function strictest(
  permission: WrittenPermission,
): Readonly<Record<string, z.infer<typeof permissionRule>>> | undefined {
  if (permission === undefined || permission === null) return undefined;
  const ruled = Object.entries(permission).map(([tool, rule]) => {
    if (typeof rule === "string") return [tool, rule] as const;
    const rules = Object.values(rule);
    const withheld = (["deny", "ask"] as const).find((each) => rules.includes(each));
    return [tool, withheld ?? "allow"] as const;
  });
  return Object.fromEntries(ruled);
}

/** Where something stands in the file of an agent type: `.claude/agents/reviewer.md:3:7`. */
export function placeInType(
  { source, file }: Pick<AgentType, "source" | "file">,
  offset: number,
): string {
  const { line, column } = createLineMap(source).positionAt(offset);
  return `${file}:${line}:${column}`;
}

function headFault(root: MapNode, nameless: string | undefined): SourceFault | undefined {
  const schema = nameless === undefined ? head : namelessHead;
  const [fault] = schemaProblems(schema, root, "the head of the file");
  if (fault !== undefined) return fault;
  const name = entryOf(root, "name")?.node;
  const id = name?.kind === "scalar" ? String(name.value) : (nameless ?? "");
  if (ID_PATTERN.test(id)) return undefined;
  return { error: idInvalid({ what: "the name of an agent", id }), range: name ?? root };
}

function doubtsOf(
  root: MapNode,
  place: Pick<AgentType, "source" | "file">,
): readonly TroupeError[] {
  return [...root.entries.values()].flatMap(({ key, keyRange, node }) => {
    if (key === "permission") return permissionDoubts(node, place);
    if (Object.hasOwn(members, key) || PASSED_OVER.has(key)) return [];
    const where = placeInType(place, keyRange.start);
    return NOT_CARRIED_OUT.has(key)
      ? [agentTypeKey({ where, key, problem: "is not carried out by this version" })]
      : [agentTypeKey({ where, key, problem: "is no key of agent types", known: KNOWN_KEYS })];
  });
}

/** The YAML between two lines of dashes that a Markdown file begins with, and where the rest begins. */
export interface MarkdownHead {
  /** Absent without a head, and where it is no map. */
  readonly root?: MapNode;
  readonly bodyStart: number;
  readonly fault?: SourceFault;
}

/** Reads the head of a Markdown file; positions count from the beginning of the text. */
export function readMarkdownHead(source: string): MarkdownHead {
  const opening = HEAD.exec(source)?.[0] ?? "";
  const bodyStart = opening.length;
  // The dashes would begin and end documents: what is left keeps its place.
  const inside = opening.replace(/^---/, "   ").replace(/---([ \t]*(?:\r?\n)?)$/, "   $1");
  if (inside.trim() === "") return { bodyStart };
  const { root, faults } = parseYamlSource(inside);
  const [fault] = faults;
  if (fault !== undefined) return { bodyStart, fault };
  return root?.kind === "map" ? { root, bodyStart } : { bodyStart };
}

/** What rules for single commands have become. */
function permissionDoubts(
  node: SourceNode,
  place: Pick<AgentType, "source" | "file">,
): readonly TroupeError[] {
  const entries = node.kind === "map" ? [...node.entries.values()] : [];
  return entries
    .filter((entry) => entry.node.kind === "map")
    .map(({ key, keyRange }) =>
      agentTypeKey({
        where: placeInType(place, keyRange.start),
        key: `permission.${key}`,
        problem: "has rules for single commands, which are not kept: the strictest holds for all",
      }),
    );
}
