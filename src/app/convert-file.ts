import { imported as importedWarning, importUnknown } from "../workflows/importers/errors.ts";
import { printImported } from "../workflows/importers/print-imported.ts";
import { importers } from "../workflows/importers/registry.ts";
import { type FileRequest, type LoadedFile, loadFile } from "./load-file.ts";
import type { Machine } from "./machine.ts";

/** A file of another tool, and what was made of it. */
export interface ConvertedFile {
  /** The file as it was read, with its problems at their places there. */
  readonly loaded: LoadedFile;
  /** The tool that it was written for; undefined when nothing can be made of it. */
  readonly from: string | undefined;
  /** The file for troupe; undefined when nothing can be made of it. */
  readonly text: string | undefined;
}

/**
 * Rewrites a file of another tool as a kickoff workflow. Raises WORKFLOW_IMPORT_UNKNOWN for a file that
 * could be troupe's own, and what loadFile raises.
 */
export async function convertFile(machine: Machine, request: FileRequest): Promise<ConvertedFile> {
  const read = await loadFile(machine, request);
  // Whoever converts a file knows that it is one of another tool.
  const problems = read.problems.filter(({ code }) => code !== importedWarning.code);
  const loaded = { ...read, problems };
  const { imported, file } = loaded;
  if (imported !== undefined)
    return { loaded, from: imported.from, text: printImported(imported, file) };
  if (request.importFrom === undefined && !isUnreadable(loaded))
    throw importUnknown({ file, tools: importers.map(({ name }) => name) });
  return { loaded, from: undefined, text: undefined };
}

/** Whether the file is not even YAML or JSON, so that nothing is known of its keys. */
function isUnreadable({ problems }: LoadedFile): boolean {
  return problems.some(({ code }) => code === "WORKFLOW_SYNTAX" || code === "WORKFLOW_EMPTY");
}
