import type { Pattern } from "../../contracts/ports/pattern.ts";
import { plannedPatterns } from "../../programs/patterns/registry.ts";
import { blockKeyOf } from "../../programs/primitives/own-turns.ts";
import { wrongValue } from "../schema/errors.ts";
import { entryOf, type SourceNode } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { notSupported } from "./errors.ts";
import { textAt } from "./file-view.ts";

const TOP_LEVEL: ReadonlyMap<string, readonly [what: string, hint: string]> = new Map([
  ["swarm", ["read a swarm", "write pattern, agents and steps at the top level"]],
]);

/** Refuses what the format has and this version cannot do: nothing is accepted and ignored. */
export function checkSupported(context: CheckContext): void {
  const { view } = context;
  for (const [key, [what, hint]] of TOP_LEVEL) refuseKey(context, view.root, { key, what, hint });
  refuseEnabled(context, "reflection", "reflect on the work of agents");
  checkPattern(context);
  checkForeignBlocks(context);
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

function checkPattern({ view, options, report }: CheckContext): void {
  const pattern = textAt(view.root, "pattern");
  const known = options.knownPatterns.map(({ name }) => name);
  if (pattern === undefined || known.includes(pattern.text)) return;
  if (!plannedPatterns.some(({ name }) => name === pattern.text)) return;
  const what = `run the pattern ${pattern.text}`;
  report(notSupported({ what, hint: `this version runs ${known.join(", ")}` }), pattern.node);
}

/** The block of another pattern would change nothing. */
function checkForeignBlocks({ view, options, report }: CheckContext): void {
  for (const pattern of [...options.knownPatterns, ...plannedPatterns]) {
    const { name } = pattern;
    const entry = view.root.entries.get(blockKeyOf(pattern));
    if (entry === undefined || view.pattern === undefined || view.pattern === name) continue;
    const problem = `has ${entry.key}, which belongs to pattern: ${name}`;
    const hint = `remove it; the pattern here is ${view.pattern}`;
    report(wrongValue({ place: "the workflow", problem, hint }), entry.keyRange);
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
  if (plannedPatterns.some(isKeyOf)) return true;
  const owner = options.knownPatterns.find(isKeyOf);
  return owner !== undefined && view.pattern !== owner.name;
}
