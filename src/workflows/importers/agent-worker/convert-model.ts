import { entryOf, type SourceEntry, type SourceNode } from "../../source/source-node.ts";
import { entryAt, membersOf, scalarAt, textOf } from "../parts/nodes.ts";
import { type Notes, type Spot, settleRest } from "../parts/notes.ts";

/** An agent of the file. */
export interface ForeignAgent {
  readonly node: SourceNode;
  /** Its path in the file, and in the tree that comes out. */
  readonly place: string;
  readonly at: readonly string[];
}

/** Backends of agent-worker that are programs of their own. */
const PROGRAMS: ReadonlyMap<string, string> = new Map([
  ["claude", "claude"],
  ["claude-code", "claude"],
  ["cursor", "cursor"],
  ["codex", "codex"],
  ["opencode", "opencode"],
]);
/** Names that it has for calling a model itself. */
const CALLS: ReadonlySet<string> = new Set(["default", "sdk", "ai-sdk"]);

/** The backend and the model of an agent. */
export function convertModel(notes: Notes, agent: ForeignAgent): readonly SourceEntry[] {
  const { node } = agent;
  const backend = entryOf(node, "runtime") ?? entryOf(node, "backend");
  const second = backend?.key === "runtime" ? entryOf(node, "backend") : undefined;
  if (second !== undefined)
    notes.leftOut(spotOf(agent, second), { what: "runtime says the same and counts" });
  const name = textOf(backend?.node);
  const model = readModel(notes, agent);
  if (backend === undefined || name === undefined || CALLS.has(name)) {
    tellProvider(notes, agent, true);
    return calledModel(notes, agent, model);
  }
  tellProvider(notes, agent, false);
  if (name === "mock") {
    const hint = "say what it answers: run with --cassette FILE, or add script to the agent";
    notes.changed(spotOf(agent, backend), { what: "becomes the backend script", hint });
    return [entryAt("backend", scalarAt("script", backend.node), backend.keyRange)];
  }
  const chosen = scalarAt(PROGRAMS.get(name) ?? name, backend.node);
  const isAuto = model?.text === "auto" && name !== "cursor";
  return [
    entryAt("backend", chosen, backend.keyRange),
    ...(model === undefined || isAuto ? [] : [modelEntry(model)]),
  ];
}

interface Model {
  readonly text: string;
  readonly entry: SourceEntry;
}

/** The model as `provider/name`, or its bare name when nothing says of whom it is. */
function readModel(notes: Notes, agent: ForeignAgent): Model | undefined {
  const entry = entryOf(agent.node, "model");
  if (entry === undefined) return undefined;
  if (entry.node.kind === "map") {
    const what = "a model is only named here";
    const place = `${agent.place}.model`;
    const members = { entries: membersOf(entry.node), place, at: [...agent.at, "model"] };
    settleRest(notes, members, {
      taken: ["id", "provider", "full"],
      leftOut: { temperature: { what }, max_tokens: { what } },
    });
  }
  const id = textOf(entry.node) ?? textOf(entryOf(entry.node, "id")?.node);
  const provider = entryOf(agent.node, "provider")?.node ?? entryOf(entry.node, "provider")?.node;
  const owner = textOf(provider) ?? textOf(entryOf(provider, "name")?.node);
  return id === undefined ? undefined : { text: qualified(id, owner), entry };
}

function qualified(id: string, owner: string | undefined): string {
  if (owner !== undefined) return id.startsWith(`${owner}/`) ? id : `${owner}/${id}`;
  return id.includes("/") ? id : id.replace(":", "/");
}

function calledModel(
  notes: Notes,
  agent: ForeignAgent,
  model: Model | undefined,
): readonly SourceEntry[] {
  if (model === undefined) return [];
  if (model.text === "auto") {
    const hint = "name a model as provider/name, or run with --backend NAME";
    const what = "the default backend of troupe decides";
    notes.leftOut(spotOf(agent, model.entry), { what, hint });
    return [];
  }
  // A provider/name without a backend is called by itself.
  if (model.text.includes("/")) return [modelEntry(model)];
  const { keyRange, node } = model.entry;
  return [entryAt("backend", scalarAt("model", node), keyRange), modelEntry(model)];
}

function modelEntry({ text, entry }: Model): SourceEntry {
  return entryAt("model", scalarAt(text, entry.node), entry.keyRange);
}

/** What an agent says of the server of its model; programs ignore it. */
function tellProvider(notes: Notes, agent: ForeignAgent, isCalled: boolean): void {
  const provider = entryOf(agent.node, "provider");
  if (provider === undefined) return;
  if (!isCalled) {
    notes.leftOut(spotOf(agent, provider), { what: "the backend brings its own" });
    return;
  }
  const hint = "set baseUrl and apiKeyEnv of a backend in .troupe/config.yaml";
  settleRest(
    notes,
    {
      entries: membersOf(provider.node),
      place: `${agent.place}.provider`,
      at: [...agent.at, "provider"],
    },
    {
      taken: ["name"],
      leftOut: { api_key: { what: "keys do not stand in workflow files", hint } },
      refused: { base_url: { what: "the server of a model stands in the configuration", hint } },
    },
  );
}

function spotOf({ place, at }: ForeignAgent, { key, keyRange }: SourceEntry): Spot {
  return { place: `${place}.${key}`, range: keyRange, at };
}
