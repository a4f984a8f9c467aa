import { Lexer } from "yaml";
import type { TroupeError } from "../../../foundation/errors.ts";
import { isRecord } from "../../../foundation/json.ts";
import { builtInStepTypes } from "../../../programs/steps/registry.ts";
import { fromFile } from "../../../workflows/builder/from-file.ts";
import { toFile } from "../../../workflows/builder/to-file.ts";
import type { Written } from "../../../workflows/builder/workflow-sketch.ts";
import { printJson, printYaml } from "../../../workflows/convert/print-file.ts";
import { printTypeScript } from "../../../workflows/convert/print-typescript.ts";
import {
  imported as importedWarning,
  importUnknown,
} from "../../../workflows/importers/parts/errors.ts";
import { printImported } from "../../../workflows/importers/print-imported.ts";
import { importers } from "../../../workflows/importers/registry.ts";
import type { LoadedWorkflow } from "../../../workflows/parse-workflow.ts";
import { toReadable } from "../../../workflows/resolve/file-shape.ts";
import { parseSource } from "../../../workflows/source/parse-source.ts";
import { toValue } from "../../../workflows/source/source-node.ts";
import type { Machine } from "../../machine/machine.ts";
import { type FileRequest, type LoadedFile, loadFile } from "../../workflow/load-file.ts";
import { typesIn } from "../../workflow/plugins/assert-code.ts";
import { stepTypesFor } from "../../workflow/plugins/step-types-for.ts";
import { findShape } from "../../workflow/shapes/registry.ts";
import type { FileFormat } from "./convert-module.ts";
import { commentsLost } from "./errors.ts";

/** A file, and what was made of it. */
export interface ConvertedFile {
  /** The file as it was read, with its problems at their places there. */
  readonly loaded: LoadedFile;
  /** The tool that it was written for; undefined when it is troupe's own or nothing can be made of it. */
  readonly from: string | undefined;
  /** The new file; undefined when nothing can be made of it. */
  readonly text: string | undefined;
  /** What is lost beside the problems. */
  readonly warnings: readonly TroupeError[];
}

/**
 * Rewrites a file of another tool as a workflow of troupe. Raises WORKFLOW_IMPORT_UNKNOWN for a file that
 * could be troupe's own, and what loadFile raises.
 */
export async function convertFile(machine: Machine, request: FileRequest): Promise<ConvertedFile> {
  const loaded = await read(machine, request);
  const { imported, file } = loaded;
  const own = imported?.notes.find(({ error }) => error.code === "WORKFLOW_IMPORT_OWN");
  if (own !== undefined) throw own.error;
  if (imported !== undefined)
    return { loaded, from: imported.from, text: printImported(imported, file), warnings: [] };
  if (request.importFrom === undefined && !isUnreadable(loaded))
    throw importUnknown({ file, tools: importers.map(({ name }) => name) });
  return { loaded, from: undefined, text: undefined, warnings: [] };
}

/** Writes a workflow file anew in a format, so that it says the same (WF-7). Raises what loadFile raises. */
export async function rewriteFile(
  machine: Machine,
  request: FileRequest,
  format: FileFormat,
): Promise<ConvertedFile> {
  // Whatever this machine has: only what the file says is wanted.
  const loaded = await read(machine, { backend: "script", ...request });
  const { definition, imported, source, file } = loaded;
  const from = imported?.from;
  if (definition === undefined) return { loaded, from, text: undefined, warnings: [] };
  const types = await stepTypesFor(machine);
  const terms = { shape: await toReadable(findShape(definition)), types };
  const sketch = fromFile({ content: ownContent(loaded), definition }, terms);
  const content = toFile(sketch, terms);
  const warnings = hasComments(source, file) ? [commentsLost({ file })] : [];
  const base = { loaded, from, warnings };
  if (format === "yaml") return { ...base, text: printYaml(content) };
  if (format === "json") return { ...base, text: printJson(content) };
  const builtIn = new Set<string>(builtInStepTypes.map(({ name }) => name));
  const used = await typesIn(definition);
  const ownTypes = used.filter((type) => !builtIn.has(type));
  return { ...base, text: printTypeScript(sketch, { ...terms, ownTypes }) };
}

async function read(machine: Machine, request: FileRequest): Promise<LoadedFile> {
  const loaded = await loadFile(machine, request);
  // Whoever converts a file knows that it is one of another tool.
  const problems = loaded.problems.filter(({ code }) => code !== importedWarning.code);
  return { ...loaded, problems };
}

/** Whether the file is not even YAML or JSON, so that nothing is known of its keys. */
function isUnreadable({ problems }: LoadedFile): boolean {
  return problems.some(({ code }) => code === "WORKFLOW_SYNTAX" || code === "WORKFLOW_EMPTY");
}

// What the lexer puts before the text of a scalar.
const SCALAR_FOLLOWS = "\u001f";

/** Whether a file has comments that people wrote, which no other format would keep. */
function hasComments(text: string, file: string): boolean {
  if (/\.jsonc?$/i.test(file)) return /^\s*(\/\/|\/\*)/m.test(text);
  let isText = false;
  for (const token of new Lexer().lex(text)) {
    // That one tells editors of the schema.
    if (!isText && token.startsWith("#") && !token.includes("yaml-language-server")) return true;
    isText = token === SCALAR_FOLLOWS;
  }
  return false;
}

/** What a loaded file says, as it is written; of a file of another tool what was made of it. */
function ownContent({ imported, source, file }: LoadedWorkflow): Written {
  const root = imported?.root ?? parseSource(source, file).root;
  const content = root === undefined ? undefined : toValue(root);
  return isRecord(content) ? content : {};
}
