import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { PinnedProgram } from "./pinned-clients.ts";

/** A client that tests can start, or why they cannot. */
export type ClientState =
  | { readonly status: "installed"; readonly program: readonly [string, ...string[]] }
  | { readonly status: "missing"; readonly reason: string };

const INSTALL_TIMEOUT_MS = 300_000;
const VERSION_TIMEOUT_MS = 30_000;
const REASON_LINES = 4;
const NPM_OPTIONS = [
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--loglevel=error",
  // Without a registry the reason comes in seconds.
  "--fetch-retry-mintimeout=1000",
  "--fetch-retry-maxtimeout=5000",
];

const run = promisify(execFile);

/** Where clients are kept from one run of the tests to the next: outside of the checkout. */
export function clientsFolder(): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return process.env["TROUPE_TEST_CLIENTS"] ?? join(cache, "troupe", "test-clients");
}

/** npm's settings of the person who runs the tests, which name the registry: the suites themselves have a private home. */
export function registryOfTheUser(): { readonly npm_config_userconfig?: string } {
  const file = process.env["TROUPE_TEST_NPM_CONFIG"];
  return file === undefined ? {} : { npm_config_userconfig: file };
}

/**
 * Installs a client from npm unless it is there in its version. Only a complete one that says its version
 * gets its name in the folder, so that an interrupted or parallel installation is never used half done.
 */
export async function installClient(client: PinnedProgram, folder: string): Promise<ClientState> {
  const home = join(folder, `${client.name}-${client.version}`);
  try {
    if (!existsSync(home)) await installInto(client, { folder, home });
    return { status: "installed", program: programOf(client, home) };
  } catch (error) {
    return { status: "missing", reason: `${toLabel(client)}: ${reasonOf(error)}` };
  }
}

interface Places {
  readonly folder: string;
  readonly home: string;
}

async function installInto(client: PinnedProgram, { folder, home }: Places): Promise<void> {
  await mkdir(folder, { recursive: true });
  const unfinished = await mkdtemp(join(folder, "unfinished-"));
  try {
    const manifest = { private: true, dependencies: { [client.package]: client.version } };
    await writeFile(join(unfinished, "package.json"), JSON.stringify(manifest));
    await run("npm", ["install", "--prefix", unfinished, ...NPM_OPTIONS], {
      cwd: unfinished,
      env: { ...process.env, ...registryOfTheUser() },
      timeout: INSTALL_TIMEOUT_MS,
    });
    await assertVersion(client, unfinished);
    await rename(unfinished, home).catch((error: unknown) => {
      // Another process was faster; what it named is complete.
      if (!existsSync(home)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function assertVersion(client: PinnedProgram, home: string): Promise<void> {
  const [program, ...args] = programOf(client, home);
  const options = { timeout: VERSION_TIMEOUT_MS, env: { ...process.env, HOME: home } };
  const { stdout } = await run(program, [...args, "--version"], options);
  if (!stdout.includes(client.version))
    throw new Error(`its program says version ${stdout.trim()}`);
}

function programOf(client: PinnedProgram, home: string): readonly [string, ...string[]] {
  const program = client.findProgram(join(home, "node_modules"));
  if (program === undefined)
    throw new Error(`no program for ${process.platform} ${process.arch} is in ${home}`);
  return program;
}

function toLabel({ name, version }: PinnedProgram): string {
  return `${name} ${version}`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("killed" in error && error.killed === true)
    return `not installed within ${INSTALL_TIMEOUT_MS / 1000} s`;
  const said = "stderr" in error && typeof error.stderr === "string" ? error.stderr.trim() : "";
  // Further lines are a stack and advice of npm.
  return said === "" ? error.message : said.split("\n").slice(0, REASON_LINES).join("; ");
}
