import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SessionRequest } from "../../../contracts/backend.ts";
import { settingsInvalid } from "./errors.ts";

/** A program that takes orders from files of a project, and has no switch against it. */
export interface ObedientProgram {
  readonly name: string;
  /** Relative to the directory that it works in, and to the top of that repository. */
  readonly obeys: readonly string[];
}

/** Refuses projects that hold such files, unless they are trusted. Raises BACKEND_SETTINGS_INVALID. */
export function assertNoOrders(
  request: Pick<SessionRequest, "cwd" | "spec" | "trustsProject">,
  { name, obeys }: ObedientProgram,
): void {
  if (request.trustsProject === true) return;
  const found = [...new Set([request.cwd, repositoryOf(request.cwd) ?? request.cwd])].flatMap(
    (directory) => obeys.map((path) => join(directory, path)).filter((file) => existsSync(file)),
  );
  if (found.length === 0) return;
  const problem = `${name} would obey ${found.join(" and ")}; if that is yours, run \`troupe trust\``;
  throw settingsInvalid({ agent: request.spec.id, problem });
}

/** The repository that a directory belongs to, found as git finds it. */
function repositoryOf(directory: string): string | undefined {
  if (existsSync(join(directory, ".git"))) return directory;
  const parent = dirname(directory);
  return parent === directory ? undefined : repositoryOf(parent);
}
