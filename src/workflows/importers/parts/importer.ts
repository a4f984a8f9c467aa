import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import type { TroupeError } from "../../../foundation/errors.ts";
import type { LoadOptions } from "../../resolve/load-options.ts";
import type { MapNode, SourceEntry, SourceRange } from "../../source/source-node.ts";

/** A file of another tool, parsed. */
export interface ForeignFile {
  readonly root: MapNode;
  /** The whole text. */
  readonly text: string;
  readonly options: Pick<
    LoadOptions,
    "patterns" | "projectRoot" | "cwd" | "fileDirectory" | "agentTypes"
  >;
}

/** Something that the file of another tool says and that is not carried over as it is. */
export interface ImportNote {
  readonly error: TroupeError;
  readonly range: SourceRange;
  /** An error where the loss would change what happens. */
  readonly severity: "error" | "warning";
  /** The path of what it is about in the tree that came out; of something around it when it is gone. */
  readonly at: readonly string[];
  /**
   * The member of what `at` names that is refused. A converted file keeps it, which makes it invalid until
   * somebody has dealt with it: without it the file could do what it must not.
   */
  readonly kept?: SourceEntry;
}

/** A file of another tool as a workflow of troupe: every value keeps its place in the text that it comes from. */
export interface ImportedTree {
  readonly root: MapNode;
  readonly notes: readonly ImportNote[];
}

/** A key by which files of a tool are told, and its path. */
export interface TellingKey {
  readonly place: string;
  readonly entry: SourceEntry;
}

/** How files of one other tool are told and read. A new one is a folder and a line in the registry. */
export interface Importer {
  /** The name of the tool, as `--from` takes it. */
  readonly name: string;
  /** What its files become. */
  readonly shape: WorkflowDefinition["shape"];
  /** A key that only files of this tool have; undefined for files that may also be meant for troupe. */
  findTellingKey(root: MapNode): TellingKey | undefined;
  /** A key that files of this tool never have, while troupe's own do; undefined for files that may be of this tool. */
  findOwnKey(root: MapNode): TellingKey | undefined;
  /** What reads its files; most people have none of them. */
  load(): Promise<Converter>;
}

/** Makes of the file of another tool one of troupe. */
export type Converter = (file: ForeignFile) => ImportedTree;
