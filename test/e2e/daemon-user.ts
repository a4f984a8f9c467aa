import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Ended, startTroupe, type TroupeProcess, troupe } from "./troupe-process.ts";

/** A user with a home of its own and a project, who types commands. */
export interface DaemonUser {
  readonly root: string;
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  type(...args: readonly string[]): Promise<Ended>;
  start(...args: readonly string[]): TroupeProcess;
  /** Pid of the daemon that answers; undefined without one. */
  daemonPid(): Promise<number | undefined>;
  log(): string;
}

/** A fresh user; her daemon is ended after the test. */
export function createUser(env: { readonly [name: string]: string } = {}): DaemonUser {
  const root = mkdtempSync(join(tmpdir(), "troupe-u-"));
  const cwd = join(root, "p");
  const home = join(root, "h");
  mkdirSync(join(cwd, ".troupe"), { recursive: true });
  mkdirSync(join(root, "r"), { mode: 0o700 });
  const surroundings = {
    HOME: root,
    TROUPE_HOME: home,
    XDG_RUNTIME_DIR: join(root, "r"),
    XDG_CONFIG_HOME: join(root, "none"),
    ...env,
  };
  const user: DaemonUser = {
    root,
    cwd,
    env: surroundings,
    type: (...args) => troupe(cwd, args, surroundings),
    start: (...args) => startTroupe(cwd, args, surroundings),
    daemonPid: async () => {
      const { out } = await user.type("daemon", "status", "--json");
      const { pid } = JSON.parse(out);
      return typeof pid === "number" ? pid : undefined;
    },
    log: () => readFileSync(join(home, "daemon.log"), "utf8"),
  };
  onTestFinished(async () => {
    await user.type("daemon", "stop");
    rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  return user;
}
