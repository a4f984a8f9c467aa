import { basename, join } from "node:path";
import type { GitDoor } from "./git-door.ts";
import { readRegularFile } from "./read-regular-file.ts";
import type { UserFilter } from "./user-filters.ts";
import { fields, headOf } from "./working-changes.ts";

const ATTRIBUTES = ".gitattributes";
const MAX_FILE_BYTES = 1024 * 1024;
const NAMED = /(?:^|\s)filter=(\S+)/gm;

/** The user's own filters that the attributes of a working tree name. Raises HOST_GIT_FAILED. */
export async function usedFilters(door: GitDoor): Promise<readonly UserFilter[]> {
  const { userFilters } = door.settings;
  if (userFilters.size === 0) return [];
  const { commit } = headOf(door);
  const listed =
    commit === null ? "" : (await door.must(["ls-tree", "-r", "-z", "--name-only", commit])).stdout;
  const files = fields(listed).filter((path) => basename(path) === ATTRIBUTES);
  const names = new Set<string>();
  for (const path of new Set([ATTRIBUTES, ...files]))
    for (const [, name = ""] of readRegularFile(
      join(door.place.root, path),
      MAX_FILE_BYTES,
    ).matchAll(NAMED))
      names.add(name);
  return [...userFilters.values()].filter(({ name }) => names.has(name));
}
