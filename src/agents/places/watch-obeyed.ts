import { relative } from "node:path";
import type { PlaceBreach } from "../../contracts/events/place-events.ts";
import { findGitPlaces } from "../../host/git-places.ts";
import { OBEYED_NAMES } from "../../host/obeyed-files.ts";

/**
 * Remembers the obeyed files below a directory, which a sandbox protects; the result tells those that are new. A
 * sandbox cannot keep a name free in every directory that is made later.
 */
export async function watchObeyed(cwd: string): Promise<() => Promise<readonly PlaceBreach[]>> {
  const before = new Set(await listObeyed(cwd));
  return async () =>
    (await listObeyed(cwd))
      .filter((path) => !before.has(path))
      .map((path): PlaceBreach => ({ rule: "obeyed", path: relative(cwd, path) }));
}

async function listObeyed(cwd: string): Promise<readonly string[]> {
  const search = { directory: cwd, beyond: [cwd], below: [cwd], names: OBEYED_NAMES };
  return (await findGitPlaces(search)).named;
}
