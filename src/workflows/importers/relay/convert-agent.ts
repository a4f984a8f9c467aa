import { entryOf, type SourceEntry, type SourceNode } from "../../source/source-node.ts";
import { durationEntry, entryAt, mapAt, membersOf, scalarAt, textOf } from "../parts/nodes.ts";
import { type Notes, type Remarks, settleRest } from "../parts/notes.ts";
import { BOUNDS } from "./bounds.ts";
import { convertPermissions } from "./convert-permissions.ts";
import { idEntry, namedDirectory, namesIn, reference } from "./names.ts";

/** What holds for all agents of a file. */
export interface AgentScope {
  readonly notes: Notes;
  /** `permission_profiles` and `paths` of the file. */
  readonly profiles: SourceNode | undefined;
  readonly paths: SourceNode | undefined;
}

const ROLES: ReadonlySet<string> = new Set([
  ...["lead", "worker", "reviewer", "voter", "peer", "coordinator", "hub", "judge", "debater"],
]);
const PRESETS: ReadonlyMap<string, string> = new Map([
  ["lead", "lead"],
  ["worker", "worker"],
  ["reviewer", "reviewer"],
  ["analyst", "worker"],
]);
const PROGRAMS: ReadonlyMap<string, string> = new Map([
  ["claude-code", "claude"],
  ["cursor-agent", "cursor"],
  ["agent", "cursor"],
  ["api", "model"],
]);
/** Keys of troupe, which stay as they are. */
const OWN = [
  ...["command", "module", "script", "args", "session", "env", "passEnv", "permissionMode"],
  ...["isolation", "onCrash", "idleTimeout", "limits", "budget", "channels"],
];
const TAKEN = [
  ...["name", "id", "cli", "backend", "model", "role", "preset", "task", "cwd", "workdir"],
  ...["constraints", "permissions", "reportsTo", "skills", "systemPrompt", ...OWN],
];
const LEFT_OUT: Remarks = {
  interactive: { what: "every agent works in turns, and its answer is the output of its step" },
  additionalPaths: { what: "agents work inside of the project" },
  credentials: { what: "agents use the credentials of their own programs" },
  runtime: { what: "troupe knows itself how each program is run" },
  acpAdapter: { what: "troupe knows itself how each program is run" },
};
const CONSTRAINTS = ["fileScope", "readOnly", "maxTokens", "maxDuration", "network"];

/** An agent of relay as one of troupe; its name is its id. */
export function convertRelayAgent(node: SourceNode, scope: AgentScope): SourceNode {
  const named = entryOf(node, "id") ?? entryOf(node, "name");
  if (node.kind !== "map" || named === undefined) return node;
  const { notes } = scope;
  const name = textOf(named.node) ?? "";
  const place = `agents.${name}`;
  const id = idEntry(notes, named, { place, at: ["agents"] });
  const at = ["agents", textOf(id.node) ?? name];
  settleRest(
    notes,
    { entries: membersOf(node).filter(saysSomething), place, at },
    { taken: TAKEN, leftOut: LEFT_OUT, refused: BOUNDS },
  );
  const label = named.key === "id" ? entryOf(node, "name") : undefined;
  const spot = { node, place, at };
  return mapAt(
    [
      id,
      label,
      ...programOf(node),
      roleOf(node),
      promptOf(node),
      directoryOf(scope, spot),
      referenceIn(node, "reportsTo"),
      constraintsOf(scope, spot),
      ...membersOf(node).filter(({ key }) => OWN.includes(key)),
    ],
    node,
  );
}

/** A copy of what is the default here says nothing. */
function saysSomething({ key, node }: SourceEntry): boolean {
  return key !== "interactive" || (node.kind === "scalar" && node.value === true);
}

function programOf(node: SourceNode): readonly (SourceEntry | undefined)[] {
  const cli = entryOf(node, "backend") ?? entryOf(node, "cli");
  const model = entryOf(node, "model") ?? entryOf(entryOf(node, "constraints")?.node, "model");
  if (cli === undefined) return [entryNamed("model", model)];
  const [program = "", variant] = (textOf(cli.node) ?? "").split(":");
  const backend = entryAt(
    "backend",
    scalarAt(PROGRAMS.get(program) ?? program, cli.node),
    cli.keyRange,
  );
  const chosen = variant === undefined ? undefined : scalarAt(variant, cli.node);
  return [
    textOf(cli.node) === undefined ? cli : backend,
    entryNamed("model", model) ??
      (chosen === undefined ? undefined : entryAt("model", chosen, cli.keyRange)),
  ];
}

function entryNamed(key: string, entry: SourceEntry | undefined): SourceEntry | undefined {
  return entry === undefined ? undefined : entryAt(key, entry.node, entry.keyRange);
}

/** A role that patterns know; any other text is said to the agent. */
function roleOf(node: SourceNode): SourceEntry | undefined {
  const role = entryOf(node, "role");
  if (role !== undefined && ROLES.has(textOf(role.node) ?? "")) return role;
  const preset = entryOf(node, "preset");
  const known = PRESETS.get(textOf(preset?.node) ?? "");
  if (preset !== undefined && known !== undefined)
    return entryAt("role", scalarAt(known, preset.node), preset.keyRange);
  const named = entryOf(node, "name");
  const isLead =
    named !== undefined && /^(?:lead|hub|orchestrator)$/.test(textOf(named.node) ?? "");
  return isLead ? entryAt("role", scalarAt("lead", named.node), named.keyRange) : undefined;
}

function promptOf(node: SourceNode): SourceEntry | undefined {
  const own = entryOf(node, "systemPrompt");
  const role = entryOf(node, "role");
  const skills = entryOf(node, "skills");
  const text = textOf(role?.node) ?? "";
  const parts = [
    ...(text === "" || ROLES.has(text) ? [] : [`Your role: ${text}`]),
    ...namesIn(skills?.node).map((skill) => textOf(skill) ?? ""),
  ];
  const first = role ?? skills;
  if (own !== undefined || first === undefined || parts.length === 0) return own;
  // Relay reads no variables there.
  const said = parts.join("\n\n").replaceAll("{{", "\\{{");
  return entryAt("systemPrompt", scalarAt(said, first.node), first.keyRange);
}

interface AgentSpot {
  readonly node: SourceNode;
  readonly place: string;
  readonly at: readonly string[];
}

function directoryOf(
  { notes, paths }: AgentScope,
  { node, place, at }: AgentSpot,
): SourceEntry | undefined {
  return namedDirectory(notes, { node, paths, place, at }) ?? entryOf(node, "cwd");
}

function referenceIn(node: SourceNode, key: string): SourceEntry | undefined {
  const entry = entryOf(node, key);
  return entry === undefined ? undefined : { ...entry, node: reference(entry.node) };
}

/** Time-outs, retries and the model are said of steps and of the agent itself. */
function constraintsOf(
  { notes, profiles }: AgentScope,
  { node, place, at }: AgentSpot,
): SourceEntry | undefined {
  const entry = entryOf(node, "constraints");
  settleRest(
    notes,
    { entries: membersOf(entry?.node), place: `${place}.constraints`, at },
    {
      taken: ["model", "timeoutMs", "retries", ...CONSTRAINTS],
      leftOut: {
        idleThresholdSecs: { what: "idleTimeout says when an agent counts as stuck" },
      },
      refused: BOUNDS,
    },
  );
  const own = membersOf(entry?.node).filter(({ key }) => CONSTRAINTS.includes(key));
  const duration = entryOf(entry?.node, "maxDuration");
  const permissions = entryOf(node, "permissions");
  const bounds = [
    durationEntry("maxDuration", duration),
    ...own,
    ...convertPermissions(notes, { entry: permissions, profiles, place, at }),
  ].filter((bound) => bound !== undefined);
  const around = entry ?? permissions;
  if (bounds.length === 0 || around === undefined) return undefined;
  return entryAt("constraints", mapAt(bounds, around.node), around.keyRange);
}
