import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type DaemonFiles, daemonFiles } from "../../src/app/background/daemon-files.ts";
import { Daemon } from "../../src/daemon/daemon.ts";
import { createDaemonLog } from "../../src/daemon/daemon-log.ts";
import { systemClock } from "../../src/foundation/clock.ts";

/** A user of its own: a home, a runtime directory and a project. */
export interface DaemonHome {
  readonly root: string;
  readonly env: { readonly [name: string]: string };
  readonly files: DaemonFiles;
  /** A project with an empty `.troupe`. */
  readonly cwd: string;
}

/** A fresh user; gone after the test. */
export function createHome(): DaemonHome {
  const root = mkdtempSync(join(tmpdir(), "troupe-d-"));
  onTestFinished(() =>
    rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }),
  );
  const env = {
    HOME: root,
    PATH: process.env["PATH"] ?? "",
    TROUPE_HOME: join(root, "home"),
    XDG_RUNTIME_DIR: join(root, "r"),
    XDG_CONFIG_HOME: join(root, "none"),
  };
  const cwd = join(root, "p");
  for (const path of [env.TROUPE_HOME, env.XDG_RUNTIME_DIR, join(cwd, ".troupe")])
    mkdirSync(path, { recursive: true });
  return { root, env, files: daemonFiles(env), cwd };
}

/** A daemon in this process. */
export interface LivingDaemon {
  readonly daemon: Daemon;
  /** The exit code. */
  readonly over: Promise<number>;
  readonly log: string[];
}

/** Starts a daemon in this process and resolves once it listens; the test ends it, or its end does. */
export async function liveDaemon({ files, env }: DaemonHome): Promise<LivingDaemon> {
  const log: string[] = [];
  const listening = Promise.withResolvers<void>();
  const write = (line: string) => {
    log.push(line.slice(25).trimEnd());
    if (line.includes("listens at")) listening.resolve();
  };
  const clock = systemClock;
  const daemon = new Daemon({
    files,
    env,
    clock,
    log: createDaemonLog(clock, write),
    idleMs: 60_000,
  });
  const over = daemon.serve();
  onTestFinished(async () => {
    await daemon.stop(0);
    // How it failed, whoever started it has been told.
    await over.catch(() => undefined);
  });
  await Promise.race([listening.promise, over]);
  return { daemon, over, log };
}
