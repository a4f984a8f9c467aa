import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { clientsFolder, installClient, registryOfTheUser } from "../install-client.ts";

const root = join(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "troupe-packed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Its run is kept in a database, as of any program that uses the library.
const LIBRARY = `import { pipeline } from "troupe";
const count = ({ task }) => String(task.split(" ").length);
const run = pipeline([{ name: "count", task: "to be or not to be", run: count }]);
const { output } = await run.result;
console.log(output);
process.emitWarning("of the program itself", "ExperimentalWarning");
`;

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let packed = "";
beforeAll(() => {
  // As those set npm who let no script run.
  const env = { ...process.env, npm_config_ignore_scripts: "true" };
  const options = { cwd: root, env, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync("npm", ["run", "-s", "pack", "--", folder], options);
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.anything() });
  packed = stdout.trim();
}, 300_000);

describe.each(["22.18.0", "24.21.0"])("on Node %s, in an empty directory", (version) => {
  test("the packed file installs and works without a warning, without a network after that [ECO-5.bare]", {
    timeout: 300_000,
  }, async ({ skip }) => {
    const node = await installNode(version);
    if (node === undefined) skip(`no Node ${version} for this machine`);
    const { run, offline, cwd } = emptyDirectory(dirname(node ?? ""));
    const installed = run("npm", "install", "--no-audit", "--no-fund", packed);
    expect(installed).toMatchObject({ status: 0, stderr: "" });
    expect(run("node", "--version").stdout).toBe(`v${version}\n`);
    const silent = { status: 0, stderr: "" };
    const troupe = "node_modules/.bin/troupe";
    expect(offline(troupe, "--version")).toEqual({ ...silent, stdout: "0.1.0\n" });
    const demo = offline(troupe, "demo", "--fast");
    expect(demo).toMatchObject(silent);
    expect(demo.stdout).toContain("sum() adds negative numbers; 4/4 checks pass");
    expect(demo.stdout).toContain("../node_modules/.bin/troupe show @last");
    const init = offline(troupe, "init", "--yes");
    expect(init).toMatchObject(silent);
    expect(init.stdout).toContain(`${troupe} run workflows/survey.yaml`);
    writeFileSync(join(cwd, "library.mjs"), LIBRARY);
    const library = offline("node", "library.mjs");
    expect(library).toMatchObject({ status: 0, stdout: "6\n" });
    // Warnings of others are not held back.
    expect(library.stderr.match(/\w*Warning: .*/g)).toEqual([
      "ExperimentalWarning: of the program itself",
    ]);
    expect(run("npx", "--no", "troupe", "runs").stdout).toContain("pipeline");
    expect(run("npx", "--no", "troupe", "shw").stderr).toContain("did you mean show?");
    expect(run("npx", "--no", "troupe", "run").stderr).toContain("npx troupe help run shows");
  });
});

test("npm that runs no script packs nothing from a clone that was never built [ECO-5.whole]", () => {
  const clone = mkdtempSync(join(folder, "clone-"));
  const git = (...args: readonly string[]) => spawnSync("git", args, { encoding: "utf8" });
  expect(git("clone", "--quiet", root, clone).status).toBe(0);
  const options = { cwd: clone, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(
    "npm",
    ["pack", "--ignore-scripts", "--loglevel=error"],
    options,
  );
  expect(status).not.toBe(0);
  // What npm names is all that it can be made to say.
  expect(stderr).toContain(join(clone, "pack-with-npm-run-pack/.npmignore"));
});

/** Kept from one run of the tests to the next; undefined where there is none for this machine. */
async function installNode(version: string): Promise<string | undefined> {
  const state = await installClient(
    {
      name: "node",
      package: `node-${process.platform}-${process.arch}`,
      version,
      findProgram: (modules) => {
        const file = join(modules, `node-${process.platform}-${process.arch}/bin/node`);
        return existsSync(file) ? [file] : undefined;
      },
    },
    clientsFolder(),
  );
  if (state.status === "installed") return state.program[0];
  if (process.env["TROUPE_MACHINE"] === "whole") throw new Error(state.reason);
  return undefined;
}

function emptyDirectory(bin: string) {
  const cwd = mkdtempSync(join(tmpdir(), "troupe-bare-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|TROUPE_|NODE_(OPTIONS|NO_WARNINGS))/.test(name),
  );
  const env = {
    ...Object.fromEntries(own),
    PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    TROUPE_HOME: join(cwd, "home"),
    XDG_CONFIG_HOME: join(cwd, "home"),
    ...registryOfTheUser(),
    npm_config_cache: join(folder, "npm-cache"),
    npm_config_update_notifier: "false",
  };
  const run = (program: string, ...args: readonly string[]): Ran => {
    const options = { cwd, env, encoding: "utf8", timeout: 120_000 } as const;
    const { status, stdout, stderr } = spawnSync(program, args, options);
    // What the person who runs the tests has set is hers.
    return { status, stdout, stderr: stderr.replace(/^npm warn Unknown user config.*\n/gm, "") };
  };
  // A namespace without a network, whose user is the same.
  const alone = ["unshare", "--map-root-user", "--net"] as const;
  const offline = (...argv: readonly string[]): Ran => run(alone[0], ...alone.slice(1), ...argv);
  return { cwd, run, offline };
}
