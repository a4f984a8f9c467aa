import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { createMachineAt, type Machine } from "../../../../src/app/machine/machine.ts";

/** A project and a home of its own, gone with the test. */
export interface ConfigProject {
  readonly root: string;
  readonly home: string;
  readonly env: { readonly [name: string]: string };
  write(path: string, text: string): void;
  machine(options?: { readonly trustsProject?: boolean }): Machine;
}

/** What the files of a test say. */
export interface ConfigTexts {
  readonly user?: string;
  readonly project?: string;
  readonly env?: { readonly [name: string]: string };
}

/** Makes a project whose configuration and user's configuration are these texts. */
export function createConfigProject(texts: ConfigTexts = {}): ConfigProject {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "troupe-config-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [root, home] = [join(base, "project"), join(base, "home")];
  const env = {
    ...{ HOME: home, PATH: "/usr/bin:/bin", XDG_RUNTIME_DIR: base },
    // Those of the person who runs the tests do not count.
    ...{ XDG_CONFIG_HOME: "", XDG_STATE_HOME: "" },
    ...texts.env,
  };
  mkdirSync(join(root, ".troupe"), { recursive: true });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  if (texts.user !== undefined) write("home/.config/troupe/config.yaml", texts.user);
  if (texts.project !== undefined) write("project/.troupe/config.yaml", texts.project);
  return {
    root,
    home,
    env,
    write,
    machine: (options = {}) => createMachineAt({ cwd: root, env, ...options }),
  };
}

/** `path = value (level:line)` of each value, without defaults. */
export async function valuesOf(machine: Machine): Promise<readonly string[]> {
  const { config, problems } = await machine.readConfig();
  if (config === undefined) return problems.map(({ code, message }) => `${code} ${message}`);
  return config.values
    .filter(({ origin }) => origin.level !== "default")
    .map(
      ({ path, value, origin }) =>
        `${path.join(".")} = ${JSON.stringify(value)} (${origin.level}:${origin.line})`,
    );
}

/** Puts a program of the shell into a directory. */
export function addProgram(directory: string, name: string, text: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}
