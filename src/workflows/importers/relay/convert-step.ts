import { entryOf, type SourceEntry, type SourceNode } from "../../source/source-node.ts";
import { durationEntry, entryAt, mapAt, membersOf, scalarAt, textOf } from "../parts/nodes.ts";
import { type Remarks, settleRest } from "../parts/notes.ts";
import { BOUNDS } from "./bounds.ts";
import { convertVerification } from "./convert-checks.ts";
import { convertText, type RelayScope } from "./convert-texts.ts";
import { idEntry, namedDirectory, namesIn, reference } from "./names.ts";
import type { ConvertedStep } from "./relay-parts.ts";

/** What steps are converted with. */
export interface RelayStepScope extends RelayScope {
  /** The agents of the file as written, by name. */
  readonly agentNodes: ReadonlyMap<string, SourceNode>;
  readonly paths: SourceNode | undefined;
}

/** Keys of troupe, which stay as they are. */
const OWN = ["when", "runs", "maxAttempts", "fallback", "budget", "env", "passEnv", "allowFailure"];
const OF_STEPS = [
  ...["name", "id", "type", "dependsOn", "timeoutMs", "timeout", "agent", "task", "prompt"],
  ...["verification", "verify", "expects", "retries", "maxRetries", "maxIterations", "command"],
  ...["cwd", "workdir", "failOnError", "captureOutput", "description", ...OWN],
];
const KINDS: ReadonlySet<string> = new Set(["agent", "deterministic", "shell", "command"]);
const CUSTOM = {
  what: "it is described in another file",
  hint: "write its command here",
};
const REFUSED: Remarks = { ...BOUNDS, use: CUSTOM };

/** A step of relay as one of troupe: of an agent, or a command. */
export function convertStep(node: SourceNode, index: number, scope: RelayStepScope): ConvertedStep {
  const { notes } = scope;
  const named = entryOf(node, "id") ?? entryOf(node, "name");
  const name = textOf(named?.node) ?? String(index);
  const place = `steps.${name}`;
  const id = named === undefined ? undefined : idEntry(notes, named, { place, at: ["steps"] });
  const at = ["steps", textOf(id?.node) ?? name];
  const spot: StepSpot = { node, place, at, scope };
  const kind = kindOf(spot);
  settleRest(
    notes,
    { entries: membersOf(node), place, at },
    { taken: kind === "refused" ? [...OF_STEPS, ...OF_OTHERS] : OF_STEPS, refused: REFUSED },
  );
  const dependsOn = entryOf(node, "dependsOn");
  const work = kind === "agent" ? agentWork(spot) : commandWork(spot, kind);
  const members = [id, ...work.members, ...common(spot, kind)];
  return {
    id: textOf(id?.node) ?? name,
    node: mapAt(members, node),
    dependsOn: namesIn(dependsOn?.node).map(reference),
    dependsOnRange: dependsOn?.keyRange,
    uses: work.uses,
    agent: kind === "agent" ? textOf(entryOf(node, "agent")?.node) : undefined,
  };
}

interface StepSpot {
  readonly node: SourceNode;
  readonly place: string;
  readonly at: readonly string[];
  readonly scope: RelayStepScope;
}

type Kind = "agent" | "command" | "refused";

/** What only kinds of steps have that are refused as a whole. */
const OF_OTHERS = [
  ...["integration", "action", "params", "branch", "baseBranch", "path", "createBranch"],
];

function kindOf({ node, place, at, scope: { notes } }: StepSpot): Kind {
  const type = entryOf(node, "type");
  const command = entryOf(node, "command");
  const written = textOf(type?.node);
  if (type !== undefined && written !== undefined && !KINDS.has(written)) {
    const hint =
      written === "worktree"
        ? "add isolation: worktree to the agents, or make it a step with a command"
        : "make it a step with a command";
    const spot = { place: `${place}.type`, range: type.node, at, entry: type };
    notes.refused(spot, { what: `troupe has no steps of the type ${written}`, hint });
    return "refused";
  }
  if (entryOf(node, "use") !== undefined) return "refused";
  const isCommand = written === undefined ? command !== undefined : written !== "agent";
  if (!isCommand) return "agent";
  if (command !== undefined) return "command";
  const range = type?.keyRange ?? node;
  notes.refused({ place, range, at }, { what: "it has no command" });
  return "refused";
}

interface StepWork {
  readonly members: readonly (SourceEntry | undefined)[];
  readonly uses: readonly string[];
}

function agentWork({ node, place, at, scope }: StepSpot): StepWork {
  const agent = entryOf(node, "agent");
  const own = entryOf(node, "prompt") ?? entryOf(node, "task");
  const described = scope.agentNodes.get(textOf(agent?.node) ?? "");
  const task = own ?? entryOf(described, "task");
  const text =
    task === undefined
      ? undefined
      : convertText(scope, { node: task.node, place: `${place}.${task.key}`, at });
  tellOtherKeys({ node, place, at, scope }, ["command", "failOnError", "cwd", "workdir"]);
  return {
    members: [
      agent === undefined ? undefined : { ...agent, node: reference(agent.node) },
      task === undefined || text === undefined
        ? undefined
        : entryAt("prompt", text.node, task.keyRange),
      expectsOf(node),
    ],
    uses: text?.uses ?? [],
  };
}

/** What relay says in its own way asks for no signal; what is said in that of troupe is left as it is. */
function expectsOf(node: SourceNode): SourceEntry | undefined {
  const own = entryOf(node, "expects");
  const named = entryOf(node, "name");
  const isOwn = named === undefined && entryOf(node, "verification") === undefined;
  if (own !== undefined || isOwn) return own;
  const range = (entryOf(node, "verification") ?? named)?.keyRange ?? node;
  return entryAt("expects", scalarAt("none", range), range);
}

/** A step that is refused does nothing, whoever completes the file. */
function commandWork(spot: StepSpot, kind: Exclude<Kind, "agent">): StepWork {
  const { node, place, at, scope } = spot;
  const { start, end } = node;
  if (kind === "refused")
    return {
      members: [entryAt("command", scalarAt("false", { start, end }), { start, end })],
      uses: [],
    };
  const command = entryOf(node, "command");
  if (command === undefined) return { members: [], uses: [] };
  const text = convertText(scope, { node: command.node, place: `${place}.command`, at });
  const failOnError = entryOf(node, "failOnError");
  const isAllowed = failOnError?.node.kind === "scalar" && failOnError.node.value === false;
  tellOtherKeys(spot, ["agent", "task", "prompt", "expects"]);
  return {
    members: [
      entryAt("command", text.node, command.keyRange),
      namedDirectory(scope.notes, { node, paths: scope.paths, place, at }) ?? entryOf(node, "cwd"),
      isAllowed
        ? entryAt("allowFailure", scalarAt(true, failOnError.node), failOnError.keyRange)
        : undefined,
    ],
    uses: text.uses,
  };
}

const ELSEWHERE: ReadonlySet<string> = new Set(["cwd", "workdir"]);

/** Keys that mean nothing in a step of this kind. An agent that works elsewhere would change other files. */
function tellOtherKeys({ node, place, at, scope }: StepSpot, keys: readonly string[]): void {
  for (const key of keys) {
    const entry = entryOf(node, key);
    if (entry === undefined) continue;
    const spot = { place: `${place}.${key}`, range: entry.keyRange, at, entry };
    const hint = "give the directory to the agent, or make two agents of it";
    if (ELSEWHERE.has(key))
      scope.notes.refused(spot, { what: "an agent works in one directory", hint });
    else scope.notes.leftOut(spot, { what: "it means nothing in a step of this type" });
  }
}

function common(
  { node, place, at, scope }: StepSpot,
  kind: Kind,
): readonly (SourceEntry | undefined)[] {
  const { notes } = scope;
  const capture = entryOf(node, "captureOutput");
  if (capture?.node.kind === "scalar" && capture.node.value === false) {
    const spot = { place: `${place}.captureOutput`, range: capture.node, at };
    notes.leftOut(spot, { what: "the output of every step is kept" });
  }
  const agent = scope.agentNodes.get(textOf(entryOf(node, "agent")?.node) ?? "");
  const bounds = kind === "agent" ? entryOf(agent, "constraints")?.node : undefined;
  const timeouts = [
    entryOf(node, "timeoutMs"),
    entryOf(node, "timeout"),
    entryOf(bounds, "timeoutMs"),
  ];
  return [
    checksOf({ node, place, at, scope }),
    retriesOf({ node, place, at, scope }, bounds),
    durationEntry("timeout", ...timeouts),
    ...membersOf(node).filter(({ key }) => OWN.includes(key)),
  ];
}

function checksOf({ node, place, at, scope }: StepSpot): SourceEntry | undefined {
  const own = entryOf(node, "verify");
  const entry = entryOf(node, "verification");
  if (entry === undefined) return own;
  const checks = convertVerification(scope.notes, { entry, place, at });
  const items = [...checks, ...(own?.node.kind === "list" ? own.node.items : [])];
  if (items.length === 0) return undefined;
  const { start, end } = entry.node;
  return entryAt("verify", { kind: "list", items, start, end }, entry.keyRange);
}

function retriesOf(
  { node, place, at, scope }: StepSpot,
  bounds: SourceNode | undefined,
): SourceEntry | undefined {
  if (entryOf(node, "maxAttempts") !== undefined) return undefined;
  const retries =
    entryOf(node, "retries") ?? entryOf(node, "maxRetries") ?? entryOf(bounds, "retries");
  const rounds = entryOf(node, "maxIterations");
  if (retries === undefined)
    return rounds === undefined ? undefined : entryAt("maxAttempts", rounds.node, rounds.keyRange);
  if (rounds !== undefined) {
    const spot = { place: `${place}.maxIterations`, range: rounds.keyRange, at };
    scope.notes.leftOut(spot, { what: `${retries.key} says how often it is tried` });
  }
  return entryAt("maxRetries", retries.node, retries.keyRange);
}
