import type { TroupeError } from "../foundation/errors.ts";
import { nearestName } from "../foundation/near-names.ts";
import { notSupported } from "./checks/errors.ts";
import { shapeUnknown } from "./errors.ts";
import type { FileShape } from "./resolve/file-shape.ts";
import { fileShapes } from "./shapes/registry.ts";
import type { MapNode, SourceRange } from "./source/source-node.ts";

/** The kind of workflow that a file describes, or why it cannot be read as one. */
export type DetectedShape =
  | { readonly status: "known"; readonly shape: FileShape }
  | { readonly status: "unreadable"; readonly error: TroupeError; readonly range: SourceRange };

const INSTEAD = "write pattern, agents and steps at the top level";

/** Tells the shapes apart by their keys, first match: pattern, steps with type, agents as a map. */
export function detectShape(root: MapNode): DetectedShape {
  const refused = root.entries.has("pattern") ? undefined : findUnsupported(root);
  if (refused !== undefined) return refused;
  const shape = fileShapes.find((candidate) => candidate.fits(root));
  return shape === undefined ? unknown(root) : { status: "known", shape };
}

function findUnsupported(root: MapNode): DetectedShape | undefined {
  const swarm = root.entries.get("swarm");
  if (swarm === undefined) return undefined;
  const error = notSupported({ what: "read a swarm", hint: INSTEAD });
  return { status: "unreadable", error, range: swarm.keyRange };
}

function unknown(root: MapNode): DetectedShape {
  const keys = [...root.entries.keys()];
  const key = keys.find((candidate) => nearestName(candidate, ["pattern"]) !== undefined);
  const [first] = root.entries.values();
  const entry = key === undefined ? first : root.entries.get(key);
  const range = entry?.keyRange ?? { start: root.start, end: root.start + 1 };
  return { status: "unreadable", error: shapeUnknown({ key }), range };
}
