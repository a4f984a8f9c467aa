import type { TroupeError } from "../foundation/errors.ts";
import { nearestName } from "../foundation/near-names.ts";
import { notSupported } from "./checks/errors.ts";
import { shapeUnknown } from "./errors.ts";
import type { MapNode, SourceRange } from "./source/source-node.ts";
import { entryOf } from "./source/source-node.ts";

/** The kind of workflow that a file describes, or why it cannot be read as one. */
export type DetectedShape =
  | { readonly shape: "pattern" }
  | { readonly shape: "unreadable"; readonly error: TroupeError; readonly range: SourceRange };

const INSTEAD = "write a pattern workflow: pattern, agents and steps";

/** Tells the shapes apart by their keys, first match: pattern, steps with type, agents as a map. */
export function detectShape(root: MapNode): DetectedShape {
  if (root.entries.has("pattern")) return { shape: "pattern" };
  const swarm = root.entries.get("swarm");
  if (swarm !== undefined) return refuse("read a swarm", swarm.keyRange);
  const steps = entryOf(root, "steps")?.node;
  const typed = (steps?.kind === "list" ? steps.items : [])
    .map((step) => entryOf(step, "type"))
    .find((entry) => entry !== undefined);
  if (typed !== undefined) return refuse("run a step workflow", typed.keyRange);
  return withoutPattern(root);
}

function withoutPattern(root: MapNode): DetectedShape {
  const keys = [...root.entries.keys()];
  const key = keys.find((candidate) => nearestName(candidate, ["pattern"]) !== undefined);
  const agents = root.entries.get("agents");
  if (agents?.node.kind === "map" && key === undefined)
    return refuse("run a kickoff workflow", agents.keyRange);
  const [first] = root.entries.values();
  const entry = key === undefined ? first : root.entries.get(key);
  const range = entry?.keyRange ?? { start: root.start, end: root.start + 1 };
  return { shape: "unreadable", error: shapeUnknown({ key }), range };
}

function refuse(what: string, range: SourceRange): DetectedShape {
  return { shape: "unreadable", error: notSupported({ what, hint: INSTEAD }), range };
}
