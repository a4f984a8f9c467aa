import {
  entryOf,
  type MapNode,
  type SourceEntry,
  type SourceNode,
} from "../../source/source-node.ts";
import { entryAt, mapAt, membersOf, scalarAt, textOf } from "../parts/nodes.ts";
import { type Notes, type Remarks, settleRest } from "../parts/notes.ts";
import { convertModel, type ForeignAgent } from "./convert-model.ts";
import { convertPolicy, tellPolicy } from "./convert-policy.ts";
import { renameVariables } from "./rename-variables.ts";
import { OWN_AGENT_KEYS } from "./telling-key.ts";

/** What holds for all agents of a file. */
export interface AgentSurroundings {
  readonly notes: Notes;
  readonly env: SourceNode | undefined;
  readonly policy: SourceNode | undefined;
  /** What variables may name. */
  readonly names: ReadonlySet<string>;
  readonly source: string;
}

const TAKEN: readonly string[] = [
  ...["backend", "runtime", "model", "provider", "system_prompt", "system_prompt_file"],
  ...["instructions", "tools", "env", "policy", "on_demand", "channels", "cwd"],
  ...OWN_AGENT_KEYS,
];
const TOOL_SERVERS = {
  what: "the agent would lack the tools of these servers",
  hint: "add the servers to the configuration of the agent's own program and remove this",
};
const LEFT_OUT: Remarks = {
  max_tokens: {
    what: "the length of an answer is up to the backend",
    hint: "budget: { tokens: N } bounds the run",
  },
  max_steps: {
    what: "the length of a turn is up to the backend",
    hint: "options: { bounds: { turnsPerAgent: N } } bounds its turns",
  },
  timeout: {
    what: "a turn has no limit of its own",
    hint: "options: { timeout: 30m } bounds the run",
  },
  role: { what: "all agents of a kickoff workflow are peers", hint: "say it in system_prompt" },
};
const REFUSED: Remarks = {
  ref: {
    what: "the agent is defined elsewhere",
    hint: "write its model and system_prompt here",
  },
  wakeup: {
    what: "nothing wakes agents by the clock",
    hint: "troupe start the workflow, and call troupe send from a timer of the system",
  },
  prompt: { what: "it belongs to what ref names", hint: "write system_prompt" },
  wakeup_prompt: { what: "it belongs to wakeup" },
  mounts: {
    what: "agents work in the project itself",
    hint: "name the directories in system_prompt by their paths",
  },
  worktree: {
    what: "agents have no worktree of their own yet",
    hint: "give each agent a cwd of its own",
  },
  mcp: TOOL_SERVERS,
  mcp_servers: TOOL_SERVERS,
  mcpServers: TOOL_SERVERS,
};
const TOOLS: ReadonlyMap<string, string> = new Map([
  ["bash", "Bash"],
  ["read", "Read"],
  ["read_file", "Read"],
  ["write", "Write"],
  ["write_file", "Write"],
  ["edit", "Edit"],
  ["edit_file", "Edit"],
  ["glob", "Glob"],
  ["grep", "Grep"],
  ["web_fetch", "WebFetch"],
]);

/** An agent of agent-worker as one of troupe. What is no object is left to the checks. */
export function convertAgent(
  { key, keyRange, node }: SourceEntry,
  surroundings: AgentSurroundings,
): SourceEntry {
  if (node.kind !== "map") return entryAt(key, node, keyRange);
  const { notes } = surroundings;
  const agent: ForeignAgent = { node, place: `agents.${key}`, at: ["agents", key] };
  const policy = entryOf(node, "policy")?.node;
  tellPolicy(notes, policy, { place: `${agent.place}.policy`, at: [...agent.at, "policy"] });
  // Most of what an agent that stands elsewhere says here only changes what stands there.
  const taken = entryOf(node, "ref") === undefined ? TAKEN : [...TAKEN, ...Object.keys(LEFT_OUT)];
  const members = { entries: membersOf(node), place: agent.place, at: agent.at };
  settleRest(notes, members, { taken, leftOut: LEFT_OUT, refused: REFUSED });
  const converted = [
    ...convertModel(notes, agent),
    convertPrompt(agent, node, surroundings),
    convertTools(entryOf(node, "tools")),
    convertEnv(agent, entryOf(node, "env"), surroundings),
    entryOf(node, "permissionMode") ?? convertPolicy(policy, surroundings.policy),
    entryOf(node, "cwd"),
    ...membersOf(node).filter((member) => OWN_AGENT_KEYS.includes(member.key)),
  ];
  return entryAt(key, mapAt(converted, node), keyRange);
}

function convertPrompt(
  { place, at }: ForeignAgent,
  node: MapNode,
  { notes, names, source }: AgentSurroundings,
): SourceEntry | undefined {
  const [entry, ...others] = ["system_prompt", "instructions", "system_prompt_file"].flatMap(
    (key) => entryOf(node, key) ?? [],
  );
  for (const { key, keyRange } of others)
    notes.leftOut(
      { place: `${place}.${key}`, range: keyRange, at },
      { what: `${entry?.key} counts` },
    );
  if (entry?.node.kind !== "scalar") return entry;
  const path = textOf(entry.node) ?? "";
  if (entry.key === "system_prompt_file" && !/\.(?:md|txt)$/i.test(path)) {
    const hint = "rename it";
    const spot = { place: `${place}.${entry.key}`, range: entry.node, at, entry };
    notes.refused(spot, { what: "a prompt file is told by its ending, .md or .txt", hint });
  }
  const spot = { node: entry.node, place: `${place}.${entry.key}`, at, names, source };
  return entryAt("system_prompt", renameVariables(notes, spot), entry.keyRange);
}

function convertTools(entry: SourceEntry | undefined): SourceEntry | undefined {
  if (entry?.node.kind !== "list") return entry;
  const items = entry.node.items.map((item) => {
    const name = TOOLS.get(textOf(item) ?? "");
    return name === undefined ? item : scalarAt(name, item);
  });
  return { ...entry, node: { ...entry.node, items } };
}

function convertEnv(
  { place, at }: ForeignAgent,
  own: SourceEntry | undefined,
  { env, notes, names, source }: AgentSurroundings,
): SourceEntry | undefined {
  const given = [...membersOf(own?.node), ...membersOf(env)];
  const [first] = given;
  if (first === undefined) return own;
  const members = given.map((member) => {
    const node = member.node;
    if (node.kind !== "scalar") return member;
    const text = { ...node, value: textOf(node) ?? "" };
    const spot = { node: text, place: `${place}.env.${member.key}`, at, names, source };
    return { ...member, node: renameVariables(notes, spot) };
  });
  const range = own?.node ?? first.node;
  return entryAt("env", mapAt(members, range), own?.keyRange ?? first.keyRange);
}
