import type { LoadOptions } from "../resolve/load-options.ts";
import type { MapNode } from "../source/source-node.ts";
import { imported, importOwn } from "./parts/errors.ts";
import type {
  Converter,
  ImportedTree,
  Importer,
  ImportNote,
  TellingKey,
} from "./parts/importer.ts";
import { importers } from "./registry.ts";

/** What a file of another tool comes to. */
export interface ImportedFile extends ImportedTree {
  /** The name of the tool. */
  readonly from: string;
}

/** What files are read against that may be those of another tool. */
export interface ImportOptions extends LoadOptions {
  /** What reads the files of other tools, by their names; for files that are troupe's own it may be absent. */
  readonly converters?: ReadonlyMap<string, Converter> | undefined;
}

/**
 * Reads a file of another tool: of the one that `options.importFrom` names, else of the one whose keys it
 * has. Undefined for files of troupe.
 */
export function importTree(
  source: { readonly root: MapNode; readonly text: string; readonly file: string },
  options: ImportOptions,
): ImportedFile | undefined {
  const { root, text, file } = source;
  const { importFrom } = options;
  for (const importer of importers) {
    const telling = importFrom === undefined ? importer.findTellingKey(root) : undefined;
    if (importer.name !== importFrom && telling === undefined) continue;
    const own = telling === undefined ? importer.findOwnKey(root) : undefined;
    if (own !== undefined)
      return { root, notes: [ownNote(importer, own, file)], from: importer.name };
    const convert = options.converters?.get(importer.name);
    if (convert === undefined) throw new Error(`the importer ${importer.name} is not loaded`);
    const tree = convert({ root, text, options });
    if (telling === undefined) return { ...tree, from: importer.name };
    const first: ImportNote = {
      error: imported({
        ...{ tool: importer.name, place: telling.place, file },
        shape: importer.shape,
      }),
      range: telling.entry.keyRange,
      severity: "warning",
      at: [],
    };
    return { root: tree.root, notes: [first, ...tree.notes], from: importer.name };
  }
  return undefined;
}

/** What was said of a file that is troupe's own. */
function ownNote({ name }: Importer, { place, entry }: TellingKey, file: string): ImportNote {
  const error = importOwn({ tool: name, place, file });
  return { error, range: entry.keyRange, severity: "warning", at: [] };
}
