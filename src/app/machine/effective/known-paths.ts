import { existsSync } from "node:fs";
import { join } from "node:path";
import { configPlaces } from "../config/config-files.ts";
import type { Machine } from "../machine.ts";
import { runtimeDirectory, stateDirectory } from "../place/project.ts";
import { pinsDirectory } from "../trust/pins-store.ts";
import { trustFilePath } from "../trust/trust-store.ts";

/** A file or directory that troupe uses. */
export interface KnownPath {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly exists: boolean;
  /** What decides where it is. */
  readonly decidedBy: string;
}

/** Every file and directory that troupe uses here, whether or not it exists. */
export function knownPaths({
  project,
  env,
}: Pick<Machine, "project" | "env">): readonly KnownPath[] {
  const [user, ofProject] = configPlaces(project, env);
  const state = stateDirectory(env);
  const all: readonly (readonly [name: string, path: string | undefined, decidedBy: string])[] = [
    ["user configuration", user?.file, "TROUPE_HOME, XDG_CONFIG_HOME"],
    ["project", project.root, "TROUPE_DIR, .troupe, .git, -C"],
    ["project configuration", ofProject?.file, "TROUPE_DIR"],
    ["runs", project.runsDirectory, "TROUPE_DIR"],
    ["state", state, "TROUPE_HOME, XDG_STATE_HOME"],
    ["trusted projects", trustFilePath(env), "TROUPE_HOME, XDG_STATE_HOME"],
    ["pinned tools of MCP servers", pinsDirectory(env), "TROUPE_HOME, XDG_STATE_HOME"],
    ["places of this machine", join(state, "host.db"), "TROUPE_HOME, XDG_STATE_HOME"],
    ["sockets", runtimeDirectory(env), "XDG_RUNTIME_DIR, TMPDIR, TROUPE_HOME"],
  ];
  return all.flatMap(([name, path, decidedBy]) =>
    path === undefined ? [] : [{ name, path, exists: existsSync(path), decidedBy }],
  );
}
