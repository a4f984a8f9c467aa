import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Ended, startTroupe, type TroupeProcess } from "../e2e/troupe-process.ts";

/** A user with a home and a project of her own, whom nothing on this machine knows. */
export interface Victim {
  readonly home: string;
  readonly project: string;
  /** What her shell hands on, beyond what the test was started with. */
  readonly env: { readonly [name: string]: string };
  /** Runs one command line of hers to its end. */
  troupe(...args: readonly string[]): Promise<Ended>;
  start(...args: readonly string[]): TroupeProcess;
}

/** A victim whose project holds these files. Home, project, state and sockets go with the test. */
export function createVictim(files: { readonly [path: string]: string } = {}): Victim {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-victim-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [home, project, run] = ["home", "project", "run"].map((name) => {
    const directory = join(root, name);
    mkdirSync(directory, { mode: 0o700 });
    return directory;
  });
  if (home === undefined || project === undefined || run === undefined) throw new RangeError(root);
  mkdirSync(join(project, ".troupe"), { mode: 0o700 });
  for (const [path, text] of Object.entries(files)) {
    const file = join(project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const env = {
    HOME: home,
    TROUPE_HOME: join(home, ".troupe-state"),
    XDG_RUNTIME_DIR: run,
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_CONFIG_HOME: join(home, ".config"),
  };
  const start = (...args: readonly string[]) => startTroupe(project, args, env);
  return { home, project, env, start, troupe: (...args) => start(...args).ended };
}

/** The events of a command that was run with `--json`. */
export function eventsOf({ out }: Ended): readonly { readonly [key: string]: unknown }[] {
  return out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
