import {
  entryOf,
  type MapNode,
  type SourceEntry,
  type SourceNode,
} from "../../source/source-node.ts";
import type { ForeignFile, ImportedTree } from "../parts/importer.ts";
import { durationEntry, entryAt, mapAt, membersOf, scalarAt, textOf } from "../parts/nodes.ts";
import { createNotes, type Notes, type Remarks, settleRest } from "../parts/notes.ts";
import { BOUNDS } from "./bounds.ts";
import { convertRelayAgent } from "./convert-agent.ts";
import { convertPreflight } from "./convert-checks.ts";
import { convertCoordination, convertPattern, orderSteps } from "./convert-order.ts";
import { tellIgnoreFiles } from "./convert-permissions.ts";
import { convertStep, type RelayStepScope } from "./convert-step.ts";
import { escapedText, paramsOf } from "./convert-texts.ts";
import { idEntry, idOf } from "./names.ts";
import {
  type ConvertedStep,
  namedWorkflow,
  partsOf,
  type RelayParts,
  readNamedWorkflow,
  reflectionOf,
  trajectoryOf,
} from "./relay-parts.ts";

/** Keys of troupe, which stay as they are. */
const OWN = ["$schema", "description", "tags", "backend", "cli", "passEnv"];
const PARTS = ["pattern", "agents", "steps", "coordination", "errorHandling", "preflight"];
const TRAJECTORY = ["trajectory", "trajectories"];
const STATE = { what: "what steps hand over is in the journal of the run" };
const TAKEN = [
  ...["version", "name", "swarm", "workflows", "params", "options", "budget", "paths"],
  ...["reflection", ...TRAJECTORY],
  ...["permission_profiles", ...PARTS, ...OWN],
];
const LEFT_OUT: Remarks = {
  state: STATE,
  harnesses: { what: "programs of one's own are backends of the configuration" },
};
const SWARM_TAKEN = [
  ...["workflow", "timeoutMs", "timeout", "maxConcurrency", "channel", "tokenBudget", ...PARTS],
  ...["reflection", ...TRAJECTORY],
];
const SWARM_LEFT_OUT: Remarks = {
  ...LEFT_OUT,
  idleNudge: { what: "idleTimeout of an agent says when it counts as stuck" },
  credentialProxy: { what: "agents use the credentials of their own programs" },
  completionGracePeriodMs: { what: "the end of a turn is told at once" },
};
const WORKFLOW_TAKEN = ["name", "description", "preflight", "steps", "onError"];

/** A file of relay as a pattern workflow. */
export function convertRelayFile(file: ForeignFile): ImportedTree {
  return convertAs(file, (inner) => convertAs(inner, undefined));
}

function convertAs(
  file: ForeignFile,
  convertNamed: ((file: ForeignFile) => ImportedTree) | undefined,
): ImportedTree {
  const { root } = file;
  const notes = createNotes({ others: { what: "troupe knows no such key" } });
  if (convertNamed !== undefined) tellIgnoreFiles(notes, file, headOf(root));
  const named = namedWorkflow(root);
  if (named !== undefined && convertNamed !== undefined)
    return readNamedWorkflow(file, notes, { entry: named, convert: convertNamed });
  const entries = membersOf(root).filter(({ key }) => !key.startsWith("x-"));
  settleRest(
    notes,
    { entries, place: "", at: [] },
    { taken: TAKEN, leftOut: LEFT_OUT, refused: BOUNDS },
  );
  const parts = partsOf(notes, root);
  tellParts(notes, parts);
  return { root: convertParts(file, notes, parts), notes: notes.all() };
}

function tellParts(notes: Notes, { swarm, workflow }: RelayParts): void {
  settleRest(
    notes,
    { entries: membersOf(swarm), place: "swarm", at: [] },
    { taken: SWARM_TAKEN, leftOut: SWARM_LEFT_OUT, refused: BOUNDS },
  );
  settleRest(
    notes,
    { entries: membersOf(workflow), place: "workflow", at: ["steps"] },
    { taken: WORKFLOW_TAKEN, leftOut: LEFT_OUT, refused: BOUNDS },
  );
}

function convertParts(file: ForeignFile, notes: Notes, parts: RelayParts): MapNode {
  const { root, options } = file;
  const scope = scopeOf(file, notes, parts);
  const first = convertPreflight(parts.preflight, scope);
  const written = stepNodes(parts).map((node, index) => convertStep(node, index, scope));
  const { pattern: patternEntry, agentsEntry } = parts;
  const range = patternEntry?.keyRange ?? entryOf(root, "swarm")?.keyRange ?? headOf(root);
  const ordering = { notes, patterns: options.patterns, written: patternEntry, range };
  const waiting = first.length === 0 ? written : written.map((step) => waitingFor(step, first));
  const pattern = convertPattern({ ...ordering, steps: [...first, ...waiting] });
  const order = options.patterns.find(({ name }) => name === textOf(pattern.node))?.order;
  const steps = [
    ...first.map(({ node }) => node),
    ...orderSteps(
      { notes, steps: written },
      { isList: order === "list", first: first.map(({ id }) => id) },
    ),
  ];
  if (steps.length === 0 && parts.agents.length === 0)
    notes.refused(
      { place: "workflows", range: entryOf(root, "workflows")?.keyRange ?? range, at: [] },
      { what: "there are no steps and no agents", hint: "write steps into the first workflow" },
    );
  const profiles = entryOf(root, "permission_profiles")?.node;
  const agents = parts.agents.map((node) =>
    convertRelayAgent(node, { notes, profiles, paths: scope.paths }),
  );
  return mapAt(
    [
      ...headEntries(notes, root),
      pattern,
      ...paramsOf(scope, entryOf(root, "params")),
      agents.length === 0 ? undefined : listEntry("agents", agents, agentsEntry?.node ?? root),
      steps.length === 0 ? undefined : listEntry("steps", steps, range),
      ...convertCoordination(parts.coordination, { notes, steps: written, written: patternEntry }),
      optionsOf(root, parts),
      budgetOf(root, parts),
      errorsOf(notes, parts),
      reflectionOf(notes, entryOf(root, "reflection") ?? entryOf(parts.swarm, "reflection")),
      trajectoryOf(
        notes,
        TRAJECTORY.flatMap((key) => entryOf(root, key) ?? entryOf(parts.swarm, key) ?? [])[0],
      ),
      ...membersOf(root).filter(({ key }) => key.startsWith("x-")),
    ],
    root,
  );
}

function scopeOf({ root, text }: ForeignFile, notes: Notes, parts: RelayParts): RelayStepScope {
  const nameOf = (node: SourceNode) =>
    textOf((entryOf(node, "id") ?? entryOf(node, "name"))?.node) ?? "";
  const agentNodes = new Map(parts.agents.map((node) => [nameOf(node), node]));
  return {
    notes,
    source: text,
    steps: new Set(stepNodes(parts).map(nameOf)),
    agents: new Set(agentNodes.keys()),
    params: new Map(),
    agentNodes,
    paths: entryOf(root, "paths")?.node,
  };
}

/** The steps of a file; without any, each agent that has a task does it. */
function stepNodes({ steps, agents }: RelayParts): readonly SourceNode[] {
  if (steps.length > 0) return steps;
  return agents.flatMap((agent) => {
    const named = entryOf(agent, "id") ?? entryOf(agent, "name");
    const task = entryOf(agent, "task");
    if (named === undefined || task === undefined) return [];
    const name = entryAt("name", named.node, named.keyRange);
    return [mapAt([name, entryAt("agent", named.node, named.keyRange), task], agent)];
  });
}

/** For the choice of the pattern: what waits for nothing waits for the checks before. */
function waitingFor(step: ConvertedStep, first: readonly ConvertedStep[]): ConvertedStep {
  if (step.dependsOn.length > 0) return step;
  return { ...step, dependsOn: first.map(({ id }) => scalarAt(id, step.node)) };
}

function listEntry(
  key: string,
  items: readonly SourceNode[],
  { start, end }: { readonly start: number; readonly end: number },
): SourceEntry {
  const range = { start, end };
  return entryAt(key, { kind: "list", items, ...range }, range);
}

function headOf(root: MapNode): { readonly start: number; readonly end: number } {
  const [first] = root.entries.values();
  return first?.keyRange ?? root;
}

const VERSIONS: ReadonlySet<string> = new Set(["1.0", "1"]);
const NAMELESS = "relay";

function headEntries(notes: Notes, root: MapNode): readonly (SourceEntry | undefined)[] {
  const version = entryOf(root, "version");
  const isKnown = VERSIONS.has(textOf(version?.node) ?? "1");
  if (version !== undefined && !isKnown) {
    const spot = { place: "version", range: version.node, at: [] };
    notes.leftOut(spot, { what: "it is read as version 1.0" });
  }
  const name = entryOf(root, "name");
  const range = headOf(root);
  return [
    version === undefined || !isKnown
      ? undefined
      : entryAt("version", scalarAt("1.0", version.node), version.keyRange),
    name === undefined
      ? entryAt("name", scalarAt(NAMELESS, range), range)
      : idEntry(notes, name, { place: "", at: [], key: "name" }),
    ...membersOf(root).filter(({ key }) => OWN.includes(key)),
  ];
}

function optionsOf(root: MapNode, { swarm }: RelayParts): SourceEntry | undefined {
  const own = entryOf(root, "options");
  const channel = entryOf(swarm, "channel");
  const members = [
    ...membersOf(own?.node),
    durationEntry("timeout", entryOf(swarm, "timeoutMs"), entryOf(swarm, "timeout")),
    entryOf(swarm, "maxConcurrency"),
    channel === undefined ? undefined : { ...channel, node: escapedText(channel.node) },
  ];
  return together("options", members, own?.node ?? swarm ?? root);
}

function budgetOf(root: MapNode, { swarm }: RelayParts): SourceEntry | undefined {
  const own = entryOf(root, "budget");
  const tokens = entryOf(swarm, "tokenBudget");
  const members = [
    ...membersOf(own?.node),
    tokens === undefined ? undefined : entryAt("tokens", tokens.node, tokens.keyRange),
  ];
  return together("budget", members, own?.node ?? swarm ?? root);
}

function together(
  key: string,
  members: readonly (SourceEntry | undefined)[],
  place: SourceNode,
): SourceEntry | undefined {
  const first = members.find((member) => member !== undefined);
  return first === undefined ? undefined : entryAt(key, mapAt(members, place), first.keyRange);
}

const POLICIES: ReadonlyMap<string, string> = new Map([
  ["fail", "abort"],
  ["fail-fast", "abort"],
  ["skip", "continue"],
  ["continue", "continue"],
]);
const RETRY = "retry";
const ERRORS_TAKEN = [
  ...["strategy", "maxRetries", "retryDelayMs", "retryDelay", "escalateTo", "onFailure"],
];
const ERRORS_LEFT_OUT: Remarks = {
  notifyChannel: {
    what: "all that happens is in the journal; notify of the configuration tells of the end",
  },
  repairAgent: { what: "the next attempt of the same step is told what failed" },
  repairRetries: { what: "the next attempt of the same step is told what failed" },
};

function errorsOf(notes: Notes, { errorHandling, workflow }: RelayParts): SourceEntry | undefined {
  const node = errorHandling?.node;
  settleRest(
    notes,
    { entries: membersOf(node), place: "errorHandling", at: ["errorHandling"] },
    { taken: ERRORS_TAKEN, leftOut: ERRORS_LEFT_OUT },
  );
  const escalateTo = entryOf(node, "escalateTo");
  const members = [
    entryOf(node, "onFailure") ??
      policyOf(notes, entryOf(workflow, "onError"), entryOf(node, "strategy")),
    entryOf(node, "maxRetries"),
    durationEntry("retryDelay", entryOf(node, "retryDelayMs"), entryOf(node, "retryDelay")),
    escalateTo === undefined
      ? undefined
      : { ...escalateTo, node: scalarAt(idOf(textOf(escalateTo.node) ?? ""), escalateTo.node) },
  ];
  const around = node ?? workflow;
  return around === undefined ? undefined : together("errorHandling", members, around);
}

/** What a failure means: the workflow says it before the file. */
function policyOf(
  notes: Notes,
  onError: SourceEntry | undefined,
  strategy: SourceEntry | undefined,
): SourceEntry | undefined {
  const entry = onError ?? strategy;
  const text = textOf(entry?.node);
  if (entry === undefined || text === undefined || text === RETRY) return undefined;
  const policy = POLICIES.get(text);
  if (policy !== undefined)
    return entryAt("onFailure", scalarAt(policy, entry.node), entry.keyRange);
  const spot = { place: `errorHandling.${entry.key}`, range: entry.node, at: [], entry };
  notes.refused(spot, { what: `there is no ${JSON.stringify(text)}` });
  return undefined;
}
