import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, relative } from "node:path";
import { sha256 } from "../../foundation/hash.ts";
import { reasonOf } from "../../host/system/system-error.ts";
import {
  agentTypeInvalid,
  agentTypeTwice,
  agentTypeUntrusted,
} from "../../workflows/agent-types/errors.ts";
import { readAgentType } from "../../workflows/agent-types/read-agent-type.ts";
import type {
  AgentType,
  AgentTypeFinder,
  FoundAgentType,
} from "../../workflows/resolve/agent-type.ts";
import { isInside } from "../../workflows/resolve/resolve-paths.ts";
import { userConfigDirectory } from "../machine/config/config-files.ts";
import type { AgentFileTrust, TrustSurroundings } from "../machine/effective/agent-trust.ts";
import { distrustProjectFile, distrustUserFile } from "../machine/place/believed-places.ts";
import { untrustedFiles } from "../machine/trust/trust-store.ts";

const MAX_FILES = 500;
const MAX_BYTES = 262_144;

interface Place {
  /** Absolute. */
  readonly directory: string;
  /** Whether it comes with the project, which must be trusted then. */
  readonly isOfProject: boolean;
}

/** A file of agent types. */
interface TypeFile extends AgentFileTrust {
  readonly place: Place;
  /** What its type is called; of a file that is no agent type the name of the file. */
  readonly name: string;
  readonly found: FoundAgentType;
}

/** Finds agent types of the project, then of the user, each in .troupe before .claude (SUB-2). */
export function createAgentTypeFinder(surroundings: TrustSurroundings): AgentTypeFinder {
  let known: readonly TypeFile[] | undefined;
  const all = () => {
    known ??= placesOf(surroundings).flatMap((place) => typesIn(place, surroundings));
    return known;
  };
  return {
    find: (name) => {
      const first = all().find((file) => file.name === name);
      const second = all().find(
        (file) => file.name === name && file !== first && file.place === first?.place,
      );
      if (first === undefined) return undefined;
      if (second !== undefined)
        return {
          status: "refused",
          error: agentTypeTwice({ name, file: first.path, other: second.path }),
        };
      return first.isTrusted
        ? first.found
        : { status: "refused", error: agentTypeUntrusted({ name, file: first.path }) };
    },
    names: () => [...new Set(all().map(({ name }) => name))],
  };
}

/** The files of agent types that come with a project. */
export function projectAgentTypes(surroundings: TrustSurroundings): readonly AgentFileTrust[] {
  return placesOf(surroundings)
    .filter(({ isOfProject }) => isOfProject)
    .flatMap((place) => typesIn(place, surroundings))
    .map(({ path, hash, isTrusted }) => ({ path, hash, isTrusted }));
}

function placesOf({ env, project }: TrustSurroundings): readonly Place[] {
  const own = [
    join(userConfigDirectory(env), "agents"),
    join(env["HOME"] || homedir(), ".claude", "agents"),
  ];
  const theirs = [
    join(project.troupeDirectory, "agents"),
    join(project.root, ".claude", "agents"),
  ].filter((directory) => !own.includes(directory));
  return [
    ...theirs.map((directory) => ({ directory, isOfProject: true })),
    ...own.map((directory) => ({ directory, isOfProject: false })),
  ].filter(({ directory }) => existsSync(directory) && statSync(directory).isDirectory());
}

function typesIn(place: Place, surroundings: TrustSurroundings): readonly TypeFile[] {
  const { env, project, trustsProject } = surroundings;
  const files = readdirSync(place.directory)
    .filter((name) => name.toLowerCase().endsWith(".md"))
    .sort()
    .slice(0, MAX_FILES)
    .map((name) => readTypeFile(join(place.directory, name), place, surroundings));
  const needTrust = place.isOfProject && !trustsProject;
  const untrusted = new Set(needTrust ? untrustedFiles(env, project.root, files) : []);
  return files.map((file) => ({ ...file, isTrusted: !untrusted.has(file) }));
}

function readTypeFile(
  file: string,
  place: Place,
  { env, project }: TrustSurroundings,
): Omit<TypeFile, "isTrusted"> {
  const path = place.isOfProject ? relative(project.root, file) : shownPath(file, env["HOME"]);
  const content = contentOf(file, place, project.root);
  const hash = "bytes" in content ? sha256(content.bytes.toString("latin1")) : undefined;
  const reading =
    "bytes" in content ? readText(content.bytes, path) : invalid(path, content.problem);
  const name = "type" in reading ? reading.type.name : basename(file).replace(/\.md$/i, "");
  const found: FoundAgentType =
    "type" in reading ? { status: "found", ...reading } : { status: "refused", ...reading };
  return { path, hash, place, name, found };
}

type Content = { readonly bytes: Buffer } | { readonly problem: string };

function contentOf(file: string, { directory, isOfProject }: Place, root: string): Content {
  try {
    const info = statSync(file);
    if (!info.isFile()) return { problem: "it is not a regular file" };
    if (info.size > MAX_BYTES) return { problem: `it has more than ${MAX_BYTES / 1024} KiB` };
    // What a project brings along must not show what lies elsewhere on this machine.
    if (isOfProject && !isInside(realpathSync(file), realpathSync(directory)))
      return { problem: "it is a link that leads out of its directory" };
    const foreign = isOfProject ? distrustProjectFile(file, root) : distrustUserFile(file);
    if (foreign !== undefined) return { problem: foreign };
    return { bytes: readFileSync(file) };
  } catch (error) {
    return { problem: `it cannot be read: ${reasonOf(error)}` };
  }
}

type Reading =
  | { readonly type: AgentType }
  | Pick<Extract<FoundAgentType, { status: "refused" }>, "error">;

function readText(bytes: Buffer, path: string): Reading {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const reading = readAgentType(text, path);
    return reading.status === "read" ? { type: reading.type } : { error: reading.error };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return invalid(path, "it is not UTF-8 text");
  }
}

function invalid(where: string, problem: string): Reading {
  return { error: agentTypeInvalid({ where, problem }) };
}

function shownPath(file: string, home: string | undefined): string {
  return home !== undefined && home !== "" && isInside(file, home)
    ? join("~", relative(home, file))
    : file;
}
