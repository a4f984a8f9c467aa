import type { TroupeError } from "../../foundation/errors.ts";
import type { LoadOptions } from "../resolve/load-options.ts";
import { patternFileHead, patternFileSchema } from "../schema/pattern-file-schema.ts";
import type { MapNode, SourceEntry, SourceFault } from "../source/source-node.ts";
import { overrideConflict } from "./errors.ts";
import { findOverridePlace, withValueAt } from "./override-path.ts";

/** Changes the values that overrides name. One that leads nowhere is told and left out. */
export function applyOverrides(
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
