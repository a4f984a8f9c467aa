import { constants, open, readdir } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import type { WorkflowDefinition } from "../contracts/definition.ts";
import { ID_PATTERN } from "../foundation/ids.ts";
import {
  fileNotFound,
  fileNotText,
  fileOfOtherKind,
  fileTooLarge,
  fileUnreadable,
  workflowInvalid,
} from "./errors.ts";
import { type LoadedWorkflow, type ReadOptions, readLocated } from "./parse-workflow.ts";
import { isOk } from "./problems/problem.ts";
import type { WorkflowRegistry } from "./resolve/load-options.ts";
import { builtInTemplates } from "./templates/built-in-templates.ts";

const MAX_BYTES = 1_048_576;

/**
 * Reads and checks a workflow file. Problems of its content are in the result; the file itself raises
 * FILE_NOT_FOUND, FILE_UNREADABLE, FILE_TOO_LARGE, FILE_NOT_TEXT and FILE_OF_OTHER_KIND.
 */
export async function loadWorkflowFile(
  file: string,
  options: ReadOptions,
): Promise<LoadedWorkflow> {
  const bytes = await readBounded(file, options.workflowRegistry);
  assertKind(file);
  const text = decode(bytes, file);
  return readLocated(text, file, { fileDirectory: dirname(resolve(file)), ...options });
}

/** The definition of a loaded workflow. Raises WORKFLOW_INVALID, which holds the problems. */
export function assertLoaded(loaded: LoadedWorkflow): WorkflowDefinition {
  const { definition, file, problems } = loaded;
  if (definition !== undefined && isOk(problems)) return definition;
  throw workflowInvalid({
    file,
    problems: problems.filter(({ severity }) => severity === "error"),
  });
}

async function readBounded(file: string, registry?: WorkflowRegistry): Promise<Uint8Array> {
  const handle = await openFile(file, registry);
  try {
    const info = await handle.stat();
    if (info.isDirectory()) throw fileUnreadable({ file, reason: "it is a directory" });
    if (!info.isFile()) throw fileUnreadable({ file, reason: "it is not a regular file" });
    if (info.size > MAX_BYTES) throw tooLarge(file, info.size);
    // The file may grow between the two calls: one byte more than allowed is enough to tell.
    const buffer = new Uint8Array(MAX_BYTES + 1);
    let sizeBytes = 0;
    while (sizeBytes < buffer.length) {
      const { bytesRead } = await handle.read(buffer, sizeBytes);
      if (bytesRead === 0) return buffer.subarray(0, sizeBytes);
      sizeBytes += bytesRead;
    }
    throw tooLarge(file, sizeBytes);
  } finally {
    await handle.close();
  }
}

async function openFile(file: string, registry?: WorkflowRegistry): ReturnType<typeof open> {
  try {
    // Without O_NONBLOCK opening a pipe would wait for its writer for ever.
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    if (code !== "ENOENT") throw fileUnreadable({ file, reason: code }, { cause: error });
    throw fileNotFound({ file, near: await neighbours(file, registry) }, { cause: error });
  }
}

async function neighbours(file: string, registry?: WorkflowRegistry): Promise<readonly string[]> {
  const names = await readdir(dirname(file)).catch(() => []);
  const files = names.filter((name) => /\.(ya?ml|jsonc?)$/i.test(name)).sort();
  // A name alone may also be that of a template or of a workflow of the project, misspelt.
  const isBareName = ID_PATTERN.test(basename(file)) && extname(file) === "";
  if (!isBareName) return files;
  const templates = builtInTemplates.map(({ name }) => name);
  return [...(registry?.ids() ?? []), ...templates, ...files];
}

// Read as YAML, a program is a long text and the head of an agent one of several documents: true, and of no help.
function assertKind(file: string): void {
  const extension = extname(file).toLowerCase();
  if (/^\.([cm]?[jt]s|[jt]sx)$/.test(extension)) throw fileOfOtherKind({ file, kind: "code" });
  if (extension === ".md") throw fileOfOtherKind({ file, kind: "markdown" });
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw fileNotText({ file }, { cause: error });
  }
}

function tooLarge(file: string, sizeBytes: number): Error {
  return fileTooLarge({ file, sizeBytes, limitBytes: MAX_BYTES });
}
