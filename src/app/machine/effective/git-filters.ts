import type { UserFilter } from "../../../host/git/user-filters.ts";
import { createHost } from "../../../host/host.ts";
import type { Machine } from "../machine.ts";
import { untrustedFiles } from "../trust/trust-store.ts";
import type { AgentFileTrust, TrustSurroundings } from "./agent-trust.ts";

/** Whether a filter of the user's configuration of git may run in her project: as it is, once she has trusted it there. */
export function filterTrust({
  env,
  project,
  trustsProject,
}: TrustSurroundings): (filter: UserFilter) => boolean {
  return (filter) =>
    trustsProject || untrustedFiles(env, project.root, [toFile(filter)]).length === 0;
}

/** The filters of the user's own that the attributes of a project name. Raises HOST_GIT_FAILED. */
export async function gitFiltersOf({
  env,
  project,
  clock,
}: Pick<Machine, "env" | "project" | "clock">): Promise<readonly AgentFileTrust[]> {
  const host = createHost({ run: "", clock, env, reaper: false });
  try {
    const door = await host.repositories.open(project.root);
    if (door === undefined) return [];
    const { usedFilters } = await import("../../../host/git/used-filters.ts");
    const files = (await usedFilters(door)).map(toFile);
    const untrusted = new Set(untrustedFiles(env, project.root, files));
    return files.map((file) => ({ ...file, isTrusted: !untrusted.has(file) }));
  } finally {
    await host.close();
  }
}

/** Kept among the files that are trusted by their content, under a name that no file of a project has. */
function toFile({ name, hash }: UserFilter): { readonly path: string; readonly hash: string } {
  return { path: `git filter ${name}`, hash };
}
