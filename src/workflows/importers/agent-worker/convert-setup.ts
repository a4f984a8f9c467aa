import type { SourceEntry, SourceNode } from "../../source/source-node.ts";
import { entryOf } from "../../source/source-node.ts";
import type { ForeignFile } from "../parts/importer.ts";
import { mapAt, membersOf, textOf } from "./nodes.ts";
import { type Notes, settleRest } from "./notes.ts";
import { renameVariables } from "./rename-variables.ts";

/** What setup commands are converted with. */
export interface SetupSurroundings {
  /** What variables may name; the outputs of the commands are added. */
  readonly names: Set<string>;
  readonly source: string;
  readonly options: ForeignFile["options"];
}

const AT = ["setup"];

/** The commands before the kickoff; each sees what the ones before it put out. */
export function convertSetup(
  notes: Notes,
  entry: SourceEntry | undefined,
  { names, source, options }: SetupSurroundings,
): SourceEntry | undefined {
  if (entry?.node.kind !== "list") return entry;
  tellDirectory(notes, entry, options);
  const items = entry.node.items.map((item, index): SourceNode => {
    if (item.kind !== "map") return item;
    const place = `setup[${index}]`;
    const members = membersOf(item).filter(({ key }) => key === "shell" || key === "as");
    settleRest(notes, { entries: membersOf(item), place, at: AT }, { taken: ["shell", "as"] });
    const converted = members.map((member) => {
      if (member.key !== "shell" || member.node.kind !== "scalar") return member;
      const spot = { node: member.node, place: `${place}.shell`, at: AT, names, source };
      return { ...member, node: renameVariables(notes, spot) };
    });
    const output = textOf(entryOf(item, "as")?.node);
    if (output !== undefined) names.add(output);
    return mapAt(converted, item);
  });
  return { ...entry, node: { ...entry.node, items } };
}

function tellDirectory(
  notes: Notes,
  { keyRange, node }: SourceEntry,
  { cwd, projectRoot, fileDirectory }: ForeignFile["options"],
): void {
  const isEmpty = node.kind === "list" && node.items.length === 0;
  const started = cwd ?? projectRoot;
  if (isEmpty || fileDirectory === undefined || fileDirectory === started) return;
  const what = "runs in the directory of this file, not in the one where troupe is started";
  const hint = "begin a command with cd where that makes a difference";
  notes.changed({ place: "setup", range: keyRange, at: AT }, { what, hint });
}
