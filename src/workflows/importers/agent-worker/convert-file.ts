import { ID_PATTERN } from "../../../foundation/ids.ts";
import {
  entryOf,
  MAX_NODES,
  type MapNode,
  type SourceEntry,
  type SourceNode,
} from "../../source/source-node.ts";
import type { ForeignFile, ImportedTree } from "../parts/importer.ts";
import { entryAt, mapAt, membersOf, scalarAt, textOf } from "../parts/nodes.ts";
import { createNotes, type Notes, type Remarks, settleRest } from "../parts/notes.ts";
import { convertAgent } from "./convert-agent.ts";
import { convertContext } from "./convert-context.ts";
import { convertParams } from "./convert-params.ts";
import { tellPolicy } from "./convert-policy.ts";
import { renameVariables } from "./rename-variables.ts";
import { OWN_TOP_KEYS } from "./telling-key.ts";

const TAKEN: readonly string[] = [
  ...["name", "label", "harnessTypeId", "agents", "agent", "context", "params", "setup"],
  ...["kickoff", "channels", "default_channel", "storage", "data_dir", "env", "policy"],
  ...OWN_TOP_KEYS,
];
const OUTSIDE = {
  what: "nothing connects the channel with other platforms",
  hint: "remove it; people write with troupe send",
};
const TOOL_SERVERS = {
  what: "the agents would lack the tools of these servers",
  hint: "add the servers to the configuration of the agents' own programs and remove this",
};
const LEFT_OUT: Remarks = { lead: { what: "all agents see the whole channel" } };
const REFUSED: Remarks = {
  bridges: OUTSIDE,
  connections: OUTSIDE,
  mcp: TOOL_SERVERS,
  mcp_servers: TOOL_SERVERS,
  mcpServers: TOOL_SERVERS,
};
const TEAM = "multi-agent-coordination";
const CHAT = "single-agent-chat";

/** A file of agent-worker as a kickoff workflow. */
export function convertAgentWorkerFile({ root, text: source, options }: ForeignFile): ImportedTree {
  const notes = createNotes({ others: { what: "agent-worker does not read it either" } });
  const entries = membersOf(root).filter(({ key }) => !key.startsWith("x-"));
  settleRest(
    notes,
    { entries, place: "", at: [] },
    { taken: TAKEN, leftOut: LEFT_OUT, refused: REFUSED },
  );
  const params = convertParams(notes, entryOf(root, "params"));
  const names = new Set(membersOf(params?.node).map(({ key }) => `params.${key}`));
  const setup = convertSetup(notes, entryOf(root, "setup"), { names, source, options });
  const policy = entryOf(root, "policy")?.node;
  tellPolicy(notes, policy, { place: "policy", at: ["policy"] });
  const agents = foreignAgents(notes, root);
  const env = sharedEnv(notes, entryOf(root, "env"), agents);
  const surroundings = { notes, env, policy, names, source };
  const converted = membersOf(agents?.node).map((agent) => convertAgent(agent, surroundings));
  const isChat = agents?.key === "agent";
  const tree = mapAt(
    [
      ...entries.filter(({ key }) => OWN_TOP_KEYS.includes(key) && key !== "options"),
      ...head(notes, root),
      params,
      isChat ? undefined : convertContext(notes, root, source),
      agents?.node.kind === "map"
        ? entryAt("agents", mapAt(converted, agents.node), agents.keyRange)
        : agents,
      setup,
      convertKickoff(notes, entryOf(root, "kickoff"), { names, source }),
      convertChannels(notes, root),
      ...membersOf(root).filter(({ key }) => key.startsWith("x-")),
    ],
    root,
  );
  return { root: tree, notes: notes.all() };
}

function head(notes: Notes, root: MapNode): readonly (SourceEntry | undefined)[] {
  const name = entryOf(root, "name");
  const label = entryOf(root, "label");
  return [
    convertName(notes, name),
    label === undefined ? undefined : entryAt("description", label.node, label.keyRange),
  ];
}

function convertName(notes: Notes, entry: SourceEntry | undefined): SourceEntry | undefined {
  const given = textOf(entry?.node);
  if (entry === undefined || given === undefined || ID_PATTERN.test(given)) return entry;
  const base = given.replace(/[^A-Za-z0-9_-]+/g, "-");
  const name = (ID_PATTERN.test(base) ? base : `workflow-${base}`).slice(0, 64);
  const spot = { place: "name", range: entry.node, at: ["name"] };
  notes.changed(spot, { what: `becomes ${name}: names are letters, digits, _ and -` });
  return entryAt("name", scalarAt(name, entry.node), entry.keyRange);
}

/** The agents of a team, or the one of a chat. */
function foreignAgents(notes: Notes, root: MapNode): SourceEntry | undefined {
  const type = entryOf(root, "harnessTypeId");
  const kind = textOf(type?.node) ?? TEAM;
  if (type !== undefined && kind !== TEAM && kind !== CHAT)
    notes.refused(
      { place: "harnessTypeId", range: type.node, at: [], entry: type },
      { what: `troupe knows ${TEAM} and ${CHAT}` },
    );
  const single = entryOf(root, "agent");
  if (kind !== CHAT || single === undefined) return entryOf(root, "agents");
  const name = textOf(entryOf(single.node, "name")?.node) ?? "agent";
  const node: SourceNode =
    single.node.kind === "map"
      ? mapAt(
          membersOf(single.node).filter(({ key }) => key !== "name"),
          single.node,
        )
      : single.node;
  return { ...single, node: mapAt([entryAt(name, node, single.keyRange)], single.node) };
}

/** The variables for all agents, unless so many come of them that a small file would fill the memory. */
function sharedEnv(
  notes: Notes,
  env: SourceEntry | undefined,
  agents: SourceEntry | undefined,
): SourceNode | undefined {
  const count = membersOf(env?.node).length * membersOf(agents?.node).length;
  if (env === undefined || count <= MAX_NODES) return env?.node;
  const what = `more than ${MAX_NODES} values would come of it`;
  notes.refused({ place: "env", range: env.keyRange, at: [], entry: env }, { what });
  return undefined;
}

function convertKickoff(
  notes: Notes,
  entry: SourceEntry | undefined,
  { names, source }: { readonly names: ReadonlySet<string>; readonly source: string },
): SourceEntry | undefined {
  if (entry?.node.kind !== "scalar") return entry;
  const spot = { node: entry.node, place: "kickoff", at: ["kickoff"], names, source };
  return { ...entry, node: renameVariables(notes, spot) };
}

const FIRST_CHANNEL = "general";

/** The one channel that all agents share here; further ones are told of. Its name is in `options`. */
function convertChannels(notes: Notes, root: MapNode): SourceEntry | undefined {
  const options = entryOf(root, "options");
  const list = entryOf(root, "channels");
  const named = entryOf(root, "default_channel");
  const place = named ?? list;
  const name = textOf(named?.node) ?? FIRST_CHANNEL;
  tellOthers(notes, list, { place: "channels", name, at: [] });
  const agents = entryOf(root, "agents")?.node;
  for (const { key, node } of membersOf(agents))
    tellOthers(notes, entryOf(node, "channels"), {
      place: `agents.${key}.channels`,
      name,
      at: ["agents", key],
    });
  if (place === undefined) return options;
  const channel = entryAt("channel", scalarAt(name, place.node), place.keyRange);
  return entryAt(
    "options",
    mapAt([...membersOf(options?.node), channel], options?.node ?? place.node),
    options?.keyRange ?? place.keyRange,
  );
}

interface ListSpot {
  readonly place: string;
  readonly name: string;
  readonly at: readonly string[];
}

function tellOthers(
  notes: Notes,
  entry: SourceEntry | undefined,
  { place, name, at }: ListSpot,
): void {
  if (entry?.node.kind !== "list") return;
  const spot = { place, range: entry.keyRange, at, entry };
  // Before `bridges` had that name, the same list said which platforms the channel reaches.
  if (entry.node.items.some(({ kind }) => kind === "map")) {
    const hint = "remove it; people write with troupe send";
    notes.refused(spot, { what: "nothing connects the channel with other platforms", hint });
    return;
  }
  const others = entry.node.items.flatMap((item) => textOf(item) ?? []);
  if (others.every((other) => other === name)) return;
  const what = `all agents share the channel ${name}`;
  notes.leftOut(spot, { what, hint: "mention agents to reach them" });
}

/** What setup commands are converted with. */
interface SetupSurroundings {
  /** What variables may name; the outputs of the commands are added. */
  readonly names: Set<string>;
  readonly source: string;
  readonly options: ForeignFile["options"];
}

const AT = ["setup"];

/** The commands before the kickoff; each sees what the ones before it put out. */
function convertSetup(
  notes: Notes,
  entry: SourceEntry | undefined,
  { names, source, options }: SetupSurroundings,
): SourceEntry | undefined {
  if (entry?.node.kind !== "list") return entry;
  tellDirectory(notes, entry, options);
  const items = entry.node.items.map((item, index): SourceNode => {
    if (item.kind !== "map") return item;
    const place = `setup[${index}]`;
    const members = membersOf(item).filter(({ key }) => key === "shell" || key === "as");
    settleRest(notes, { entries: membersOf(item), place, at: AT }, { taken: ["shell", "as"] });
    const converted = members.map((member) => {
      if (member.key !== "shell" || member.node.kind !== "scalar") return member;
      const spot = { node: member.node, place: `${place}.shell`, at: AT, names, source };
      return { ...member, node: renameVariables(notes, spot) };
    });
    const output = textOf(entryOf(item, "as")?.node);
    if (output !== undefined) names.add(output);
    return mapAt(converted, item);
  });
  return { ...entry, node: { ...entry.node, items } };
}

function tellDirectory(
  notes: Notes,
  { keyRange, node }: SourceEntry,
  { cwd, projectRoot, fileDirectory }: ForeignFile["options"],
): void {
  const isEmpty = node.kind === "list" && node.items.length === 0;
  const started = cwd ?? projectRoot;
  if (isEmpty || fileDirectory === undefined || fileDirectory === started) return;
  const what = "runs in the directory of this file, not in the one where troupe is started";
  const hint = "begin a command with cd where that makes a difference";
  notes.changed({ place: "setup", range: keyRange, at: AT }, { what, hint });
}
