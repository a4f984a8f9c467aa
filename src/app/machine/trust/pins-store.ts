import { readdirSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { createMemoryPins, mergePins } from "../../../agents/backends/model/mcp/memory-pins.ts";
import type { PinnedTool, ServerPins } from "../../../contracts/ports/server-pins.ts";
import { TroupeError } from "../../../foundation/errors.ts";
import { sha256 } from "../../../foundation/hash.ts";
import { distrustFile, distrustPlace } from "../../../host/owned-place.ts";
import { reasonOf, systemErrorCode } from "../../../host/system/system-error.ts";
import { readBelievedJson } from "../place/private-file.ts";
import { type Environment, type Project, stateDirectory } from "../place/project.ts";
import { changeFileAlone } from "./change-file-alone.ts";
import { pinsUnreadable, pinsUnwritable } from "./errors.ts";

/** The MCP servers whose tools a project has pinned. */
export interface PinnedProject {
  /** Absolute, with links followed. */
  readonly directory: string;
  readonly servers: readonly PinnedServer[];
}

interface PinnedServer {
  readonly server: string;
  readonly tools: readonly PinnedTool[];
}

const VERSION = 1;

const pinsFile = z.object({
  version: z.literal(VERSION),
  directory: z.string(),
  servers: z.array(
    z.object({
      server: z.string(),
      tools: z.array(
        z.object({
          tool: z.string(),
          description: z.string(),
          schema: z.string().refine(isJsonText),
          isReadOnly: z.boolean(),
        }),
      ),
    }),
  ),
});

/** SQLite opens them by name, through links too. */
const LOCK_FILES = [".lock", ".lock-wal", ".lock-shm", ".lock-journal"];

const laterFile = z.object({ version: z.number().gt(VERSION) });

/** Where the pins of all projects are kept, a file for each. */
export function pinsDirectory(env: Environment): string {
  return join(stateDirectory(env), "pins");
}

/** The pins of a machine's project. Where runs leave no files, new ones end with this process. */
export function openPins({
  env,
  project: { root },
  keepsFiles,
}: {
  readonly env: Environment;
  readonly project: Pick<Project, "root">;
  readonly keepsFiles: boolean;
}): ServerPins {
  const read = (server: string) => {
    const pins = readPins(env, fileOf(env, realpathSync(root)));
    return pins?.servers.find((known) => known.server === server)?.tools;
  };
  if (!keepsFiles) return createMemoryPins({ read });
  const change = (
    server: string,
    next: (tools: readonly PinnedTool[] | undefined) => readonly PinnedTool[],
  ): readonly PinnedTool[] => {
    const directory = realpathSync(root);
    const file = fileOf(env, directory);
    let pinned: readonly PinnedTool[] = [];
    changePins(env, file, (text) => {
      const servers = parse(file, text)?.servers ?? [];
      pinned = next(servers.find((known) => known.server === server)?.tools);
      const others = servers.filter((known) => known.server !== server);
      return { directory, servers: [...others, { server, tools: pinned }] };
    });
    return pinned;
  };
  return {
    read,
    pinFirst: (server, tools) => change(server, (pinned) => pinned ?? tools),
    replace: (server, tools) => void change(server, (pinned = []) => mergePins(pinned, tools)),
  };
}

/** All projects that have pins, by directory. Raises PINS_UNREADABLE. */
export function listPins(env: Environment): readonly PinnedProject[] {
  const names = namesIn(pinsDirectory(env)).filter((name) => name.endsWith(".json"));
  return names
    .flatMap((name) => readPins(env, join(pinsDirectory(env), name)) ?? [])
    .sort((left, right) => (left.directory < right.directory ? -1 : 1));
}

/** Removes the pins of a project, readable or not; whether there were any. Raises PINS_UNWRITABLE. */
export function forgetPins(env: Environment, root: string): boolean {
  const file = fileOf(env, realpathSync(root));
  try {
    rmSync(file);
    return true;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw pinsUnwritable({ file, problem: reasonOf(error) }, { cause: error });
  }
}

function fileOf(env: Environment, directory: string): string {
  return join(pinsDirectory(env), `${sha256(directory).slice(0, 32)}.json`);
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw pinsUnreadable({ file: directory, problem: reasonOf(error) }, { cause: error });
  }
}

function readPins(env: Environment, file: string): PinnedProject | undefined {
  assertPrivate(env, file);
  const unreadable = (problem: string, cause?: unknown) =>
    pinsUnreadable({ file, problem }, { cause });
  return toPins(file, readBelievedJson(file, unreadable));
}

function changePins(
  env: Environment,
  file: string,
  next: (text: string | undefined) => PinnedProject,
): void {
  assertPrivate(env, file);
  try {
    changeFileAlone(file, (text) => {
      const { directory, servers } = next(text);
      const sorted = servers.toSorted((left, right) => (left.server < right.server ? -1 : 1));
      return `${JSON.stringify({ version: VERSION, directory, servers: sorted }, null, 2)}\n`;
    });
  } catch (error) {
    if (error instanceof TroupeError) throw error;
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    const problem = code.startsWith("ERR_") && error instanceof Error ? error.message : code;
    throw pinsUnwritable({ file, problem }, { cause: error });
  }
}

function parse(file: string, text: string | undefined): PinnedProject | undefined {
  if (text === undefined) return undefined;
  try {
    return toPins(file, JSON.parse(text));
  } catch (error) {
    if (error instanceof TroupeError) throw error;
    throw pinsUnreadable({ file, problem: "it is no JSON" }, { cause: error });
  }
}

function toPins(file: string, document: unknown): PinnedProject | undefined {
  if (document === undefined) return undefined;
  const { data, error } = pinsFile.safeParse(document);
  if (data !== undefined) return data;
  const isLater = laterFile.safeParse(document).success;
  const problem = isLater ? "a later version of Troupe wrote it" : "its content is damaged";
  throw pinsUnreadable({ file, problem }, { cause: error });
}

/** Another user who can write to the file could approve changes in the name of this one. */
function assertPrivate(env: Environment, file: string): void {
  let problem: string | undefined;
  try {
    problem = distrustPlace({ path: dirname(file), root: stateDirectory(env) });
    for (const end of ["", ...LOCK_FILES]) problem ??= distrustFile(`${file}${end}`);
  } catch (error) {
    throw pinsUnreadable({ file, problem: reasonOf(error) }, { cause: error });
  }
  if (problem !== undefined) throw pinsUnreadable({ file, problem });
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
