import type { Pattern } from "../../contracts/ports/pattern.ts";
import { blockKeyOf } from "../../programs/primitives/own-turns.ts";
import { wrongValue } from "../schema/errors.ts";
import { entryOf, type SourceNode } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { notSupported } from "./errors.ts";
import { labelOf } from "./file-view.ts";

const TOP_LEVEL: ReadonlyMap<string, readonly [what: string, hint: string]> = new Map([
  ["swarm", ["read a swarm", "write pattern, agents and steps at the top level"]],
]);

const OF_OWN_TURNS = [
  ["turnTimeout", "write timeout at the steps"],
  ["bounds", "write timeout or budget at the steps"],
] as const;

/** Refuses what the format has and this version cannot do: nothing is accepted and ignored. */
export function checkSupported(context: CheckContext): void {
  const { view } = context;
  for (const [key, [what, hint]] of TOP_LEVEL) refuseKey(context, view.root, { key, what, hint });
  if (view.pattern === "iterate")
    refuseEnabled(context, "reflection", "reflect on iterations, which know nothing of each other");
  checkForeignBlocks(context);
  checkPruner(context);
  checkOwnTurns(context);
  checkParts(context);
  checkKickoff(context);
  checkOverrides(context);
}

interface Refusal {
  readonly key: string;
  readonly what: string;
  readonly hint: string;
}

function refuseKey({ report }: CheckContext, node: SourceNode | undefined, refusal: Refusal): void {
  const entry = entryOf(node, refusal.key);
  if (entry !== undefined) report(notSupported(refusal), entry.keyRange);
}

function refuseEnabled({ view, report }: CheckContext, key: string, what: string): void {
  const entry = entryOf(view.root, key);
  if (entry === undefined) return;
  const enabled = entryOf(entry.node, "enabled")?.node;
  if (enabled?.kind === "scalar" && enabled.value === false) return;
  report(notSupported({ what, hint: `remove ${key}, or set enabled: false` }), entry.keyRange);
}

/** The block of another pattern would change nothing. */
function checkForeignBlocks({ view, options, report }: CheckContext): void {
  for (const pattern of options.knownPatterns) {
    const { name } = pattern;
    const entry = view.root.entries.get(blockKeyOf(pattern));
    if (entry === undefined || view.pattern === undefined || view.pattern === name) continue;
    const problem = `has ${entry.key}, which belongs to pattern: ${name}`;
    const hint = `remove it; the pattern here is ${view.pattern}`;
    report(wrongValue({ place: "the workflow", problem, hint }), entry.keyRange);
  }
}

/** Only a graph has branches, and something has to say which of them are weak. */
function checkPruner({ view, pattern, report }: CheckContext): void {
  const entry = entryOf(view.root, "pruner");
  if (entry === undefined || pattern === undefined) return;
  if (pattern.prunes !== true) {
    const problem = `has no meaning in ${pattern.name}, which has no branches`;
    const hint = "remove pruner, or use pattern: dag";
    report(wrongValue({ place: "pruner", problem, hint }), entry.keyRange);
    return;
  }
  const bounds = ["pruneThreshold", "beamWidth"].map((key) => entryOf(entry.node, key));
  if (bounds.some((bound) => bound !== undefined)) return;
  const problem = "has neither pruneThreshold nor beamWidth, so nothing would ever be cut off";
  report(wrongValue({ place: "pruner", problem, hint: "add one of them" }), entry.keyRange);
}

/** What bounds the turns that a pattern gives itself bounds none where all of them are steps. */
function checkOwnTurns({ view, pattern, report }: CheckContext): void {
  if (pattern === undefined || (pattern.order === "mode" && view.steps.length === 0)) return;
  const options = entryOf(view.root, "options")?.node;
  for (const [key, hint] of OF_OWN_TURNS) {
    const entry = entryOf(options, key);
    if (entry === undefined) continue;
    const problem = `has no meaning here: all turns of this ${pattern.name} are steps`;
    report(wrongValue({ place: `options.${key}`, problem, hint }), entry.keyRange);
  }
}

/** The part of an agent is what its turns are for, and a step says that itself. */
function checkParts({ view, report }: CheckContext): void {
  if (view.steps.length === 0) return;
  for (const agent of view.agents) {
    const entry = entryOf(agent.node, "task");
    if (entry === undefined) continue;
    const place = `agents.${labelOf(agent, view.agents)}.task`;
    const problem = "has no meaning beside steps: their prompts are the parts";
    report(wrongValue({ place, problem, hint: "put it into the prompts" }), entry.keyRange);
  }
}

function checkKickoff({ view, report }: CheckContext): void {
  const entry = view.root.entries.get("kickoff");
  if (entry === undefined) return;
  const problem = "has kickoff, which belongs to kickoff workflows";
  const hint = "remove it, or remove pattern and write agents as a map";
  report(wrongValue({ place: "the workflow", problem, hint }), entry.keyRange);
}

/** A template has been put into its place before this check, with its overrides. */
function checkOverrides({ view, report }: CheckContext): void {
  const entry = view.root.entries.get("overrides");
  if (entry === undefined) return;
  const problem = "has overrides, but no template that they could change";
  const hint = "change the values in this file, or name a template";
  report(wrongValue({ place: "the workflow", problem, hint }), entry.keyRange);
}

/** Whether this check explains a key of the top level better than "unknown key" would. */
export function isExplainedKey(key: string, { view, options }: CheckContext): boolean {
  if (TOP_LEVEL.has(key) || key === "overrides" || key === "kickoff") return true;
  const isKeyOf = (pattern: Pick<Pattern, "name" | "blockKey">) => blockKeyOf(pattern) === key;
  const owner = options.knownPatterns.find(isKeyOf);
  return owner !== undefined && view.pattern !== owner.name;
}
