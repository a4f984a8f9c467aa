import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { sha256 } from "../../foundation/hash.ts";
import { reasonOf } from "../../host/system/system-error.ts";
import { isInside } from "../../workflows/resolve/resolve-paths.ts";
import { userConfigDirectory } from "../machine/config/config-files.ts";
import type { TrustSurroundings } from "../machine/effective/agent-trust.ts";
import { distrustProjectFile, distrustUserFile } from "../machine/place/believed-places.ts";

const MAX_FILES = 500;
const MAX_BYTES = 262_144;

/** A directory of Markdown files that take effect without being named. */
export interface MarkdownPlace {
  /** Absolute. */
  readonly directory: string;
  /** Whether it comes with the project, which must be trusted then. */
  readonly isOfProject: boolean;
  /** Whether what a file holds is named by it, where its head says no name. */
  readonly isNamedByFile: boolean;
  /** Whether the settings of opencode hold for what is in it. */
  readonly isOfOpencode: boolean;
}

/** One of its files. */
export interface MarkdownFile {
  /** As people know it. */
  readonly path: string;
  /** The name of the file without its ending. */
  readonly name: string;
  /** Of its content; undefined for what is not read. */
  readonly hash: string | undefined;
  readonly content: { readonly text: string } | { readonly problem: string };
}

type MarkdownKind = "agents" | "commands";

// Of opencode and OpenAgents: as theirs are read, not as they are carried out, only agents mean the same here.
const OTHERS: {
  readonly [kind in MarkdownKind]: {
    readonly ofProject: readonly string[];
    readonly ofUser: readonly string[];
  };
} = {
  agents: {
    ofProject: [".opencode/agent", ".opencode/agents", ".openagents/agents"],
    ofUser: [".config/opencode/agent", ".config/opencode/agents"],
  },
  commands: { ofProject: [], ofUser: [] },
};

/**
 * Those of the project, then of the user, each in .troupe before .claude before those of other tools; `kind` is the
 * name of the directory.
 */
export function markdownPlaces(
  { env, project }: TrustSurroundings,
  kind: MarkdownKind,
): readonly MarkdownPlace[] {
  const home = env["HOME"] || homedir();
  const { ofProject, ofUser } = OTHERS[kind];
  const own = [join(userConfigDirectory(env), kind), join(home, ".claude", kind)];
  const ownOthers = ofUser.map((directory) => join(home, directory));
  const theirs = [join(project.troupeDirectory, kind), join(project.root, ".claude", kind)];
  const theirOthers = ofProject.map((directory) => join(project.root, directory));
  const isNotOwn = ({ directory }: MarkdownPlace) => ![...own, ...ownOthers].includes(directory);
  const toPlace = (isOfProject: boolean, isNamedByFile: boolean) => (directory: string) => ({
    ...{ directory, isOfProject, isNamedByFile },
    isOfOpencode: /^\.?opencode$/.test(basename(dirname(directory))),
  });
  const all = [
    ...[...theirs.map(toPlace(true, false)), ...theirOthers.map(toPlace(true, true))].filter(
      isNotOwn,
    ),
    ...own.map(toPlace(false, false)),
    ...ownOthers.map(toPlace(false, true)),
  ];
  return all.filter(({ directory }) => existsSync(directory) && statSync(directory).isDirectory());
}

/** The settings of opencode, in which agents may be described, too: those of the project before those of the user. */
export function opencodeSettings({
  env,
  project,
}: TrustSurroundings): readonly { readonly place: MarkdownPlace; readonly file: string }[] {
  const own = join(env["HOME"] || homedir(), ".config/opencode");
  const theirs = [project.root, join(project.root, ".opencode")];
  const places = [...theirs.filter((directory) => directory !== own), own];
  return places.flatMap((directory) => {
    const place = {
      directory,
      isOfProject: directory !== own,
      isNamedByFile: true,
      isOfOpencode: true,
    };
    const files = SETTINGS.map((name) => join(directory, name)).filter((file) => existsSync(file));
    return files.map((file) => ({ place, file }));
  });
}

const SETTINGS = ["opencode.json", "opencode.jsonc"];

/** The Markdown files of a place, by their names. */
export function markdownFilesIn(
  place: MarkdownPlace,
  surroundings: TrustSurroundings,
): readonly MarkdownFile[] {
  return readdirSync(place.directory)
    .filter((name) => name.toLowerCase().endsWith(".md"))
    .sort()
    .slice(0, MAX_FILES)
    .map((name) => readPlaceFile(join(place.directory, name), place, surroundings));
}

/** A file of a place, unless it is too much or leads elsewhere. */
export function readPlaceFile(
  file: string,
  place: MarkdownPlace,
  { env, project }: TrustSurroundings,
): MarkdownFile {
  const path = place.isOfProject ? relative(project.root, file) : shownPath(file, env["HOME"]);
  const name = relative(place.directory, file).replace(/\.md$/i, "");
  const bytes = bytesOf(file, place, project.root);
  if ("problem" in bytes) return { path, name, hash: undefined, content: bytes };
  const hash = sha256(bytes.bytes.toString("latin1"));
  return { path, name, hash, content: textOf(bytes.bytes) };
}

function bytesOf(
  file: string,
  { directory, isOfProject }: MarkdownPlace,
  root: string,
): { readonly bytes: Buffer } | { readonly problem: string } {
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

function textOf(bytes: Buffer): MarkdownFile["content"] {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { problem: "it is not UTF-8 text" };
  }
}

function shownPath(file: string, home: string | undefined): string {
  return home !== undefined && home !== "" && isInside(file, home)
    ? join("~", relative(home, file))
    : file;
}
