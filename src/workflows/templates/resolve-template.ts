import { z } from "zod";
import type { TroupeError } from "../../foundation/errors.ts";
import type { LoadOptions } from "../resolve/load-options.ts";
import { patternFileHead, patternFileSchema } from "../schema/pattern-file-schema.ts";
import { knownKeys, schemaProblems } from "../schema/schema-problems.ts";
import { parseSource } from "../source/parse-source.ts";
import {
  entryOf,
  type MapNode,
  placedAt,
  type SourceEntry,
  type SourceFault,
  toValue,
} from "../source/source-node.ts";
import {
  type BuiltIn,
  builtInTemplates,
  findTemplate,
  readTemplate,
} from "./built-in-templates.ts";
import { overrideConflict, templateCount, templateKey, unknownTemplate } from "./errors.ts";
import { findOverridePlace, withValueAt } from "./override-path.ts";

/** A file that starts from a template, as if all of it had been written there. */
export interface ResolvedTemplate {
  /** Undefined when there is no such template. */
  readonly root: MapNode | undefined;
  readonly faults: readonly SourceFault[];
  /** Given params that shaped the template and mean nothing afterwards. */
  readonly usedParams: readonly string[];
}

/**
 * Puts the template that a file names into its place, with the overrides applied. What comes from the
 * template has the place of the line that names it.
 */
export function resolveTemplate(root: MapNode, options: LoadOptions): ResolvedTemplate {
  const entry = root.entries.get("template");
  const name = entry?.node.kind === "scalar" ? entry.node.value : undefined;
  const template = typeof name === "string" ? findTemplate(name) : undefined;
  if (entry === undefined || (typeof name === "string" && template === undefined)) {
    const known = builtInTemplates.map((candidate) => candidate.name);
    const error = unknownTemplate({ template: String(name), known });
    return { root: undefined, faults: [{ error, range: entry?.node ?? root }], usedParams: [] };
  }
  const faults = [...checkKeys(root, String(name), options)];
  if (template === undefined) return { root: undefined, faults, usedParams: [] };
  const overrides = overridesOf(root);
  const wish = template.count === undefined ? undefined : findCount(overrides, options);
  const chosen = chooseCount(template, wish?.value);
  if (chosen.status === "refused")
    faults.push({ error: chosen.error, range: wish?.entry?.node ?? entry.node });
  const count = chosen.status === "chosen" ? chosen.count : undefined;
  const tree = instantiate(root, { template, entry, count });
  const others = overrides.filter((candidate) => candidate !== wish?.entry);
  const changed = applyOverrides(tree, others, options);
  return {
    root: changed.root,
    faults: [...faults, ...changed.faults],
    usedParams: template.count === undefined ? [] : [COUNT],
  };
}

/** The wanted number of agents: the param wins over the file, and the file over the template. */
function findCount(
  overrides: readonly SourceEntry[],
  { params = {} }: LoadOptions,
): { readonly value: unknown; readonly entry: SourceEntry | undefined } {
  const entry = overrides.find(({ key }) => key === COUNT);
  const written = entry === undefined ? undefined : toValue(entry.node);
  return { value: Object.hasOwn(params, COUNT) ? params[COUNT] : written, entry };
}

/** Keys of pattern workflows that cannot stand here, and everything else that is wrong. */
function checkKeys(root: MapNode, template: string, options: LoadOptions): readonly SourceFault[] {
  const ours = new Set(Object.keys(templateFileSchema.shape));
  const foreign = new Set(
    knownKeys(patternFileSchema(options), [], root).filter((key) => !ours.has(key)),
  );
  const entries = [...root.entries].filter(([key]) => !key.startsWith("x-"));
  const rest = new Map(entries.filter(([key]) => !foreign.has(key)));
  return [
    ...schemaProblems(templateFileSchema, { ...root, entries: rest }),
    ...entries
      .filter(([key]) => foreign.has(key))
      .map(([key, { keyRange }]) => ({ error: templateKey({ key, template }), range: keyRange })),
  ];
}

/** The template's tree with what the file says of itself. */
function instantiate(
  root: MapNode,
  { template, entry, count }: { template: BuiltIn; entry: SourceEntry; count: number | undefined },
): MapNode {
  const { root: tree } = parseSource(readTemplate(template, count), `${template.name}.yaml`);
  if (tree?.kind !== "map") throw new Error(`the template ${template.name} is no workflow`);
  const placed = placedAt(tree, entry.node);
  const own = [...root.entries].filter(
    ([key]) => Object.hasOwn(patternFileHead, key) || key.startsWith("x-"),
  );
  return { ...root, entries: new Map([...placed.entries, ...own]) };
}

function overridesOf(root: MapNode): readonly SourceEntry[] {
  const node = entryOf(root, "overrides")?.node;
  return node?.kind === "map" ? [...node.entries.values()] : [];
}

/** Changes the values that overrides name. One that leads nowhere is told and left out. */
function applyOverrides(
  tree: MapNode,
  overrides: readonly SourceEntry[],
  options: LoadOptions,
): { readonly root: MapNode; readonly faults: readonly SourceFault[] } {
  const schema = patternFileSchema(options);
  const faults: SourceFault[] = [];
  let root = tree;
  for (const [index, override] of overrides.entries()) {
    const { key, keyRange } = override;
    const error = headProblem(key) ?? overlapProblem(key, overrides.slice(0, index));
    const place = findOverridePlace(key, root, schema);
    if (error !== undefined) faults.push({ error, range: keyRange });
    else if (place.status === "refused") faults.push({ error: place.error, range: keyRange });
    else root = withValueAt(root, place.path, override);
  }
  return { root, faults };
}

function headProblem(key: string): TroupeError | undefined {
  if (!Object.hasOwn(patternFileHead, key)) return undefined;
  const problem = "changes what the file says of itself: write it at the top level";
  return overrideConflict({ path: key, problem });
}

function overlapProblem(key: string, earlier: readonly SourceEntry[]): TroupeError | undefined {
  const other = earlier.find(
    (entry) => entry.key.startsWith(`${key}.`) || key.startsWith(`${entry.key}.`),
  );
  if (other === undefined) return undefined;
  return overrideConflict({ path: key, problem: `changes the same as "${other.key}"` });
}

/** The keys of a file that starts from a template. */
export const templateFileSchema = z.strictObject({
  ...patternFileHead,
  template: z
    .enum(builtInTemplates.map(({ name }) => name))
    .describe("A workflow that comes with troupe: it gives pattern, agents, steps and settings."),
  overrides: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      "Values that differ from the template, by path: `agents.reviewer.model`, `steps.plan.maxRetries`, `options.timeout`; `count` where a template takes one.",
    ),
});

/** The param of templates whose number of agents is a choice. */
const COUNT = "count";

/** How many agents a template gets: a number in its bounds, undefined for as many as it says itself. */
type ChosenCount =
  | { readonly status: "chosen"; readonly count: number | undefined }
  | { readonly status: "refused"; readonly error: TroupeError };

/** Reads a wanted `count`, which may come as text from the command line. */
export function chooseCount({ name, count }: BuiltIn, wanted: unknown): ChosenCount {
  if (wanted === undefined) return { status: "chosen", count: undefined };
  const { of = "agents of its own", most = 0 } = count ?? {};
  const value = typeof wanted === "string" && /^\d{1,6}$/.test(wanted) ? Number(wanted) : wanted;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most)
    return { status: "chosen", count: value };
  const given = typeof wanted === "string" ? wanted : (JSON.stringify(wanted) ?? "nothing");
  const error = templateCount({ template: name, of, most, given: given.slice(0, 40) });
  return { status: "refused", error };
}
