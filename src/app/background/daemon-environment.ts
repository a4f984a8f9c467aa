import { resolve } from "node:path";
import type { Environment } from "../machine/place/project.ts";

// The C library of most Linux systems keeps what is freed for as long as anything beside it is in use, and each
// connection to a journal takes blocks of 48 KB and more: set apart, they go back as soon as it is closed.
const ALLOCATION: Environment = { MALLOC_MMAP_THRESHOLD_: "32768" };
const KEPT_OF_TROUPE: ReadonlySet<string> = new Set(["TROUPE_HOME", "TROUPE_DAEMON_IDLE"]);
// They may be relative to the directory of the client; the daemon has another one.
const DIRECTORIES: ReadonlySet<string> = new Set(["TROUPE_HOME", "XDG_RUNTIME_DIR"]);
const KEPT_AT_LOGIN = ["PATH", "TROUPE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"];

/**
 * What the daemon keeps of the environment of whoever starts it: nothing that ties it to a run or a project,
 * so that no end of a run can end the daemon too.
 */
export function daemonEnvironment(env: Environment): { [name: string]: string } {
  const kept = Object.entries({ ...ALLOCATION, ...env }).filter(
    ([name]) => !name.startsWith("TROUPE_") || KEPT_OF_TROUPE.has(name),
  );
  return Object.fromEntries(
    kept.flatMap(([name, value]) => {
      if (value === undefined) return [];
      return [[name, DIRECTORIES.has(name) && value !== "" ? resolve(value) : value]];
    }),
  );
}

/** What a daemon is given that the system starts at login. */
export function loginEnvironment(env: Environment): { readonly [name: string]: string } {
  const kept = KEPT_AT_LOGIN.map((name) => [name, env[name]] as const);
  const given = [...kept, ...Object.entries(ALLOCATION)];
  return Object.fromEntries(
    given.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value]])),
  );
}

/** Takes what concerns the daemon alone from its environment, so that nothing it starts has it. */
export function forgetAllocation(env: { [name: string]: string | undefined }): void {
  for (const [name, value] of Object.entries(ALLOCATION)) if (env[name] === value) delete env[name];
}
