import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ID_PATTERN } from "../../../foundation/ids.ts";
import { systemErrorCode } from "../../../host/system/system-error.ts";
import { idInvalid } from "../../../workflows/checks/errors.ts";
import { readTemplateText } from "../../workflow/templates.ts";
import { schemaFilesToWrite } from "../schemas/write-schemas.ts";
import { isPathTaken, type NewFile, writeFiles } from "../write-files.ts";
import { EDITOR_SETTING, withSchema } from "./editor-settings.ts";
import { chooseStarter, starterText } from "./starter-text.ts";
import type { ProjectFacts } from "./surroundings.ts";

/** What a new project gets. */
export interface InitRequest {
  /** Undefined for a first workflow made from what the directory has. */
  readonly template: string | undefined;
  /** Of the workflow; its own when undefined. */
  readonly name: string | undefined;
  /** How many agents of one kind, for templates that take it. */
  readonly count: string | undefined;
  /** Whether what is there is replaced. */
  readonly replaces: boolean;
  /** Whether VS Code is told of the schema. */
  readonly tellsEditor: boolean;
}

/** What became of a request. */
export interface InitResult {
  /** The workflow, relative to the directory. */
  readonly workflow: string;
  readonly written: readonly string[];
  /** Files of other content that were left alone. */
  readonly kept: readonly string[];
  readonly notes: readonly string[];
}

const HEADER = "# yaml-language-server: $schema=../.troupe/schema/workflow.json";
const EDITOR_FILE = ".vscode/settings.json";

/** The name that a workflow gets when nobody says another. */
export function defaultName(template: string | undefined, found: ProjectFacts): string {
  return template ?? chooseStarter(found).name;
}

/** Whether a directory has a workflow of that name, where init would write it. */
export function hasWorkflow(cwd: string, name: string): Promise<boolean> {
  return isPathTaken(join(cwd, workflowPath(name)));
}

/**
 * Writes a workflow and what belongs to it into a directory: all or nothing. Raises WORKFLOW_ID,
 * WORKFLOW_UNKNOWN_TEMPLATE, WORKFLOW_TEMPLATE_COUNT and what writeFiles raises.
 */
export async function initProject(
  cwd: string,
  request: InitRequest,
  found: ProjectFacts,
): Promise<InitResult> {
  const { template, replaces, tellsEditor } = request;
  const name = request.name ?? defaultName(template, found);
  const text = workflowText(name, request, found);
  if (!ID_PATTERN.test(name)) throw idInvalid({ what: "the name of a workflow", id: name });
  const mode = replaces ? "replace" : "create";
  const workflow: NewFile = { path: workflowPath(name), text, mode };
  const schemas = await Promise.all(
    schemaFilesToWrite(mode).map(async (file) => ({ file, before: await textAt(cwd, file.path) })),
  );
  const editor = tellsEditor ? await planEditor(cwd) : { files: [], notes: [] };
  const files = [
    workflow,
    ...schemas
      .filter(({ file, before }) => before === undefined || (replaces && before !== file.text))
      .map(({ file }) => file),
    ...(found.isInGit ? await planIgnoring(cwd) : []),
    ...editor.files,
  ];
  await writeFiles(cwd, files);
  const kept = schemas.filter(({ file, before }) => before !== undefined && before !== file.text);
  return {
    workflow: workflow.path,
    written: files.map(({ path }) => path),
    kept: replaces ? [] : kept.map(({ file }) => file.path),
    notes: editor.notes,
  };
}

function workflowPath(name: string): string {
  return `workflows/${name}.yaml`;
}

function workflowText(name: string, request: InitRequest, found: ProjectFacts): string {
  const { template, count } = request;
  const command = `# troupe run ${workflowPath(name)}`;
  if (template === undefined) {
    const text = starterText(name, chooseStarter(found));
    return `${HEADER}\n${command}\n${text}`;
  }
  const text = readTemplateText(template, count)
    .replace(/^# troupe run \S+/m, command)
    .replace(/^name: .*$/m, `name: ${name}`);
  return `${HEADER}\n${text}`;
}

async function planIgnoring(cwd: string): Promise<readonly NewFile[]> {
  const before = await textAt(cwd, ".gitignore");
  const text = withIgnored(before);
  const mode = before === undefined ? "create" : "replace";
  return text === undefined ? [] : [{ path: ".gitignore", text, mode }];
}

async function planEditor(
  cwd: string,
): Promise<{ readonly files: readonly NewFile[]; readonly notes: readonly string[] }> {
  const before = await textAt(cwd, EDITOR_FILE);
  const settings = withSchema(before);
  if (settings.status === "unclear")
    return { files: [], notes: [`add to ${EDITOR_FILE} yourself: ${EDITOR_SETTING}`] };
  if (settings.status === "unchanged") return { files: [], notes: [] };
  const mode = before === undefined ? "create" : "replace";
  return { files: [{ path: EDITOR_FILE, text: settings.text, mode }], notes: [] };
}

/** The text of a file; undefined when there is none or it cannot be one, which writing tells. */
async function textAt(cwd: string, path: string): Promise<string | undefined> {
  try {
    return await readFile(join(cwd, path), "utf8");
  } catch (error) {
    if (systemErrorCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** What a project keeps to itself: runs and what is derived from them. */
const IGNORED: readonly string[] = [".troupe/runs/", ".troupe/index.db*", ".troupe/context/"];

const COVERS_ALL: ReadonlySet<string> = new Set([
  ".troupe",
  ".troupe/",
  "/.troupe",
  "/.troupe/",
  ".troupe/*",
]);

/** A `.gitignore` with the lines that troupe needs; undefined when nothing is missing. */
function withIgnored(text: string | undefined): string | undefined {
  const lines = (text ?? "").split(/\r?\n/).map((line) => line.trim());
  if (lines.some((line) => COVERS_ALL.has(line))) return undefined;
  const missing = IGNORED.filter((line) => !lines.includes(line) && !lines.includes(`/${line}`));
  if (missing.length === 0) return undefined;
  const end = text?.includes("\r\n") ? "\r\n" : "\n";
  const before =
    text === undefined || text === "" || text.endsWith("\n") ? (text ?? "") : text + end;
  return `${before}${missing.join(end)}${end}`;
}
