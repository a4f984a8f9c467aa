import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gitFailed } from "../system/errors.ts";
import type { GitSettings } from "./git-settings.ts";
import { readRegularFile } from "./read-regular-file.ts";
import { linkSharedIndex } from "./real-index.ts";
import type { RepositoryPlace } from "./repository-place.ts";

const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** What a shadow is made of. */
export interface ShadowGitParts {
  readonly place: RepositoryPlace;
  readonly settings: GitSettings;
  /** Absolute directory below which it is made. */
  readonly parent: string;
  /** Patterns of files that are left out. */
  readonly excludes: string;
}

/**
 * Makes a git directory of Troupe's own that reads the objects of a repository and has nothing else of it but
 * values that were checked: no program is named in it. Returns where it is.
 */
export function makeShadow({ place, settings, parent, excludes }: ShadowGitParts): string {
  const directory = mkdtempSync(join(parent, "git-"));
  mkdirSync(join(directory, "refs"));
  mkdirSync(join(directory, "objects", "info"), { recursive: true });
  const objects = realpathSync(join(place.commonDirectory, "objects"));
  writeFileSync(join(directory, "objects", "info", "alternates"), `${quoted(objects)}\n`);
  writeCommon(directory, place, settings);
  const own = readRegularFile(join(place.commonDirectory, "info", "exclude"), MAX_FILE_BYTES);
  writeFileSync(
    join(directory, "info", "exclude"),
    `${settings.userExcludes}\n${own}\n${excludes}`,
  );
  return directory;
}

/**
 * Makes a git directory of Troupe's own whose objects and references are those of a repository, for what writes
 * there. It is made anew for each piece of work, so that it is checked again once the repository is held.
 * Raises HOST_GIT_FAILED.
 */
export function makeLanding({ place, settings, parent }: Omit<ShadowGitParts, "excludes">): string {
  const { root, gitDirectory, commonDirectory } = place;
  const refuse = (reason: string) =>
    gitFailed({ cwd: root, action: "writing to the repository", reason });
  if (settings.refStorage !== undefined && settings.refStorage !== "files")
    throw refuse(`its branches are kept as "${settings.refStorage}", which Troupe cannot write`);
  const directory = mkdtempSync(join(parent, "landing-"));
  const link = (name: string, kind: "isFile" | "isDirectory") => {
    const target = join(commonDirectory, name);
    const stat = lstatSync(target, { throwIfNoEntry: false });
    if (stat !== undefined && !stat[kind]()) throw refuse(`${target} is not what it should be`);
    if (stat !== undefined || kind === "isFile") symlinkSync(target, join(directory, name));
  };
  link("objects", "isDirectory");
  link("refs", "isDirectory");
  link("packed-refs", "isFile");
  mkdirSync(join(directory, "logs"));
  link("logs/refs", "isDirectory");
  writeCommon(directory, place, settings);
  linkSharedIndex(gitDirectory, directory);
  return directory;
}

function writeCommon(directory: string, place: RepositoryPlace, settings: GitSettings): void {
  const { commonDirectory, gitDirectory } = place;
  mkdirSync(join(directory, "info"));
  writeFileSync(join(directory, "config"), settings.text);
  // No name of a branch: what is asked for is named by the ids of commits.
  writeFileSync(join(directory, "HEAD"), "ref: refs/troupe/none\n");
  const copy = (from: string, to: string) => {
    const text = readRegularFile(from, MAX_FILE_BYTES);
    if (text !== "") writeFileSync(join(directory, to), text);
  };
  copy(join(commonDirectory, "shallow"), "shallow");
  if (settings.isSparse)
    copy(join(gitDirectory, "info", "sparse-checkout"), "info/sparse-checkout");
}

/** A line of `alternates` that begins with a quote is read with escapes. */
function quoted(path: string): string {
  if (!/["\\\p{Cc}]/u.test(path)) return path;
  const escaped = [...Buffer.from(path)].map((byte) =>
    byte > 0x1f && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\${byte.toString(8).padStart(3, "0")}`,
  );
  return `"${escaped.join("")}"`;
}
