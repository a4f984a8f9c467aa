import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { sha256 } from "../../../foundation/hash.ts";
import { ID_PATTERN } from "../../../foundation/ids.ts";
import { isShortage } from "../../../foundation/shortage.ts";
import { textAt } from "../../../workflows/checks/file-view.ts";
import { isInside } from "../../../workflows/resolve/resolve-paths.ts";
import { parseSource } from "../../../workflows/source/parse-source.ts";
import type { Config } from "../../machine/config/config.ts";
import type { TrustSurroundings } from "../../machine/effective/agent-trust.ts";
import { distrustProjectFile, distrustUserFile } from "../../machine/place/believed-places.ts";
import { untrustedFiles } from "../../machine/trust/trust-store.ts";
import { workflowDirectoryOutside } from "./errors.ts";

/** A workflow of the directory of workflows. */
export interface RegisteredWorkflow {
  /** What its file calls it, else the name of the file. */
  readonly id: string;
  readonly description: string | undefined;
  /** Absolute. */
  readonly file: string;
  /** As people know it: from the project on. */
  readonly path: string;
  readonly hash: string | undefined;
  /** Whether it may be used without being named by its file. */
  readonly isTrusted: boolean;
}

const MAX_FILES = 500;
const MAX_BYTES = 1_048_576;

interface Directory {
  readonly path: string;
  readonly isOfProject: boolean;
}

/**
 * The workflows that have an id here, by file. Reads every file of the directory, so only whoever asks for one
 * should call it. Raises WORKFLOW_DIRECTORY_OUTSIDE.
 */
export function registeredWorkflows(
  surroundings: TrustSurroundings,
  config: Config,
): readonly RegisteredWorkflow[] {
  const { env, project, trustsProject } = surroundings;
  const directory = directoryOf(surroundings, config);
  const files = filesIn(directory).flatMap((file) => {
    const text = textOf(file, directory, project.root);
    const found = { file, path: relative(project.root, file) };
    const hash = text === undefined ? undefined : sha256(text);
    const names = namesOf(Buffer.from(text ?? "", "latin1").toString("utf8"), file);
    return names === undefined ? [] : [{ ...found, hash, ...names }];
  });
  const needTrust = directory.isOfProject && !trustsProject;
  const untrusted = new Set(needTrust ? untrustedFiles(env, project.root, files) : []);
  return files.map((file) => ({
    ...file,
    isTrusted: file.hash !== undefined && !untrusted.has(file),
  }));
}

function directoryOf({ project }: TrustSurroundings, { values }: Config): Directory {
  const said = values.find(({ path }) => path.join(".") === "workflows.dir");
  if (said === undefined || typeof said.value !== "string" || said.origin.file === undefined)
    return { path: join(project.troupeDirectory, "workflows"), isOfProject: true };
  const path = resolve(dirname(said.origin.file), said.value);
  if (said.origin.level !== "project") return { path, isOfProject: false };
  const isOutside = existsSync(path) && !isInside(realpathSync(path), realpathSync(project.root));
  if (isOutside || !isInside(path, project.root))
    throw workflowDirectoryOutside({ directory: path });
  return { path, isOfProject: true };
}

function filesIn({ path }: Directory): readonly string[] {
  if (!existsSync(path) || !statSync(path).isDirectory()) return [];
  return readdirSync(path)
    .filter((name) => /\.(ya?ml|jsonc?)$/i.test(name))
    .sort()
    .slice(0, MAX_FILES)
    .map((name) => join(path, name));
}

/** Undefined for what is no file of workflows: too large, a link that leads out, unreadable, somebody else's. */
function textOf(file: string, { path, isOfProject }: Directory, root: string): string | undefined {
  try {
    const info = statSync(file);
    if (!info.isFile() || info.size > MAX_BYTES) return undefined;
    if (isOfProject && !isInside(realpathSync(file), realpathSync(path))) return undefined;
    const foreign = isOfProject ? distrustProjectFile(file, root) : distrustUserFile(file);
    if (foreign !== undefined) return undefined;
    // Byte by byte: what is trusted is this content and no other.
    return readFileSync(file, "latin1");
  } catch (error) {
    if (isShortage(error)) throw error;
    // Whoever asks for it is told that it cannot be used; the others are not kept from theirs.
    return undefined;
  }
}

/** A file with mistakes is found too, by its name: whoever asks for it is told of them. */
function namesOf(
  text: string,
  file: string,
): Pick<RegisteredWorkflow, "id" | "description"> | undefined {
  const { root } = parseSource(text, file);
  const id = (textAt(root, "id") ?? textAt(root, "name"))?.text ?? basename(file, extname(file));
  return ID_PATTERN.test(id) ? { id, description: textAt(root, "description")?.text } : undefined;
}
