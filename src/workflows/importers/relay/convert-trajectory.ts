import { entryOf, type SourceEntry } from "../../source/source-node.ts";
import { entryAt, mapAt, membersOf } from "../parts/nodes.ts";
import { type Notes, type Remarks, settleRest } from "../parts/notes.ts";

const KEPT = [
  ...["enabled", "agentName", "dataDir", "taskSource"],
  ...["autoRecordMessages", "autoRecordReflections"],
];
const ALWAYS = { what: "what a pattern and its people decide is always told" };
const LEFT_OUT: Remarks = {
  autoDecisions: ALWAYS,
  reflectOnBarriers: { what: "this version has nobody reflect on the work" },
  reflectOnConverge: { what: "this version has nobody reflect on the work" },
};

/** What a file of relay says of trajectories: an object, or false for none. */
export function trajectoryOf(
  notes: Notes,
  entry: SourceEntry | undefined,
): SourceEntry | undefined {
  if (entry === undefined) return undefined;
  const { key, node, keyRange } = entry;
  if (node.kind === "scalar" && node.value === false) return undefined;
  if (node.kind !== "map") return entryAt("trajectory", node, keyRange);
  settleRest(
    notes,
    { entries: membersOf(node), place: key, at: ["trajectory"] },
    { taken: KEPT, leftOut: LEFT_OUT },
  );
  const kept = KEPT.flatMap((name) => entryOf(node, name) ?? []);
  return entryAt("trajectory", mapAt(kept, node), keyRange);
}
