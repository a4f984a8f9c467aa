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
import { entryOf, type MapNode, type SourceFault, toValue } from "../source/source-node.ts";
import { agentTypeInvalid, agentTypeKey } from "./errors.ts";
import { readTypeTools } from "./type-tools.ts";

/** What the file of an agent type comes to. */
export type AgentTypeReading =
  | { readonly status: "read"; readonly type: AgentType }
  | { readonly status: "invalid"; readonly error: TroupeError };

// The closing line is searched from the opening one on; both may end like lines of Windows.
const HEAD = /^---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/;

const toolList = z.union([z.string(), z.array(z.string())]);
const members = {
  name: z.string(),
  description: z.string().min(1),
  tools: z
    .union([toolList, z.record(z.string(), z.boolean())])
    .nullable()
    .optional(),
  // opencode's; rules for single commands cannot be kept, so they are refused.
  permission: z
    .record(z.string(), z.enum(["allow", "ask", "deny"]))
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

/** Keys that mean something to other tools, or to people. */
const PASSED_OVER: ReadonlySet<string> = new Set(["color"]);
/** Keys that agent types have and that this version does not carry out. */
const NOT_CARRIED_OUT: ReadonlySet<string> = new Set([...["skills", "hooks", "memory"]]);
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
  ...["sandbox", "sandboxMode", "sandbox_mode", "approvalPolicy", "approval_policy"],
]);
const BOUNDS_HINT = "say it by tools, disallowedTools, permissionMode or isolation, or remove it";
const KNOWN_KEYS = [...Object.keys(members), ...NOT_CARRIED_OUT, ...PASSED_OVER];
const HEAD_HINT = "begin the file with ---, name: and description: on lines of their own, and ---";

/** Reads the text of an agent type; `file` is how people know it. */
export function readAgentType(text: string, file: string): AgentTypeReading {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const { root, promptStart, fault } = readHead(source);
  const place = { source, file };
  if (root === undefined || fault !== undefined) {
    const problem = fault?.error.message ?? "it has no name and no description";
    const hint = fault === undefined ? HEAD_HINT : fault.error.hint;
    const where = placeInType(place, fault?.range.start ?? 0);
    const error = agentTypeInvalid({ where, problem, ...present({ hint }) });
    return { status: "invalid", error };
  }
  const bound = [...root.entries.values()].find(({ key }) => BOUNDS.has(key));
  if (bound !== undefined) {
    const where = placeInType(place, bound.keyRange.start);
    const problem = `${bound.key} is no key of agent types: the agent could do more than it says`;
    return { status: "invalid", error: agentTypeInvalid({ where, problem, hint: BOUNDS_HINT }) };
  }
  const { name, description, model, permissionMode, isolation, limits, ...rest } = head.parse(
    toValue(root),
    PARSE_ONCE,
  );
  const { tools, deniedTools, mustAsk } = readTypeTools({
    ...{ tools: rest.tools, disallowedTools: rest.disallowedTools, permission: rest.permission },
  });
  const type: AgentType = {
    ...{ name, description, ...place, prompt: source.slice(promptStart), promptStart },
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

/** Where something stands in the file of an agent type: `.claude/agents/reviewer.md:3:7`. */
export function placeInType(
  { source, file }: Pick<AgentType, "source" | "file">,
  offset: number,
): string {
  const { line, column } = createLineMap(source).positionAt(offset);
  return `${file}:${line}:${column}`;
}

interface ReadHead {
  readonly root?: MapNode;
  readonly promptStart: number;
  readonly fault?: SourceFault;
}

function readHead(source: string): ReadHead {
  const opening = HEAD.exec(source)?.[0] ?? "";
  const promptStart = opening.length;
  // The dashes would begin and end documents: what is left keeps its place.
  const inside = opening.replace(/^---/, "   ").replace(/---([ \t]*(?:\r?\n)?)$/, "   $1");
  if (inside.trim() === "") return { promptStart };
  const { root, faults } = parseYamlSource(inside);
  const [syntax] = faults;
  if (syntax !== undefined) return { promptStart, fault: syntax };
  if (root?.kind !== "map") return { promptStart };
  const [fault] = schemaProblems(head, root, "the head of the file");
  if (fault !== undefined) return { promptStart, fault };
  const name = entryOf(root, "name")?.node;
  if (name?.kind !== "scalar" || ID_PATTERN.test(String(name.value))) return { root, promptStart };
  const error = idInvalid({ what: "the name of an agent", id: String(name.value) });
  return { promptStart, fault: { error, range: name } };
}

function doubtsOf(
  root: MapNode,
  place: Pick<AgentType, "source" | "file">,
): readonly TroupeError[] {
  return [...root.entries.values()].flatMap(({ key, keyRange }) => {
    if (Object.hasOwn(members, key) || PASSED_OVER.has(key)) return [];
    const where = placeInType(place, keyRange.start);
    return NOT_CARRIED_OUT.has(key)
      ? [agentTypeKey({ where, key, problem: "is not carried out by this version" })]
      : [agentTypeKey({ where, key, problem: "is no key of agent types", known: KNOWN_KEYS })];
  });
}
