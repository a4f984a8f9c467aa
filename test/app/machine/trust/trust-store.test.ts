import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { configOf } from "../../../../src/app/machine/effective/effective-config.ts";
import { createMachineAt, type Machine } from "../../../../src/app/machine/machine.ts";
import {
  grantTrust,
  revokeTrust,
  trustFilePath,
} from "../../../../src/app/machine/trust/trust-store.ts";
import { type ConfigProject, createConfigProject } from "../config/config-project.ts";

const WANTING = 'permissions: { allow: ["Bash"] }\nlimits: { maxAgents: 2 }\n';

async function trust(project: ConfigProject, machine: Machine = project.machine()): Promise<void> {
  const { files } = await configOf(machine);
  const hash = files.find(({ level }) => level === "project")?.hash ?? "";
  grantTrust(project.env, { directory: project.root, hash, trustedAt: "2026-01-01T00:00:00.000Z" });
}

async function look(machine: Machine): Promise<readonly [string, boolean]> {
  const { trust: state, settings } = await configOf(machine);
  return [state, settings.permissions !== undefined];
}

test("what needs trust is left out until the project is trusted, the rest is not [SEC-1]", async () => {
  const project = createConfigProject({ project: WANTING });
  expect(await look(project.machine())).toEqual(["untrusted", false]);
  expect((await configOf(project.machine())).settings.limits).toMatchObject({ maxAgents: 2 });
  await trust(project);
  expect(await look(project.machine())).toEqual(["trusted", true]);
});

test("any change of the file takes the trust away [SEC-1, T18]", async () => {
  const project = createConfigProject({ project: WANTING });
  await trust(project);
  project.write("project/.troupe/config.yaml", `${WANTING}# harmless\n`);
  expect(await look(project.machine())).toEqual(["changed", false]);
  project.write("project/.troupe/config.yaml", WANTING);
  expect(await look(project.machine())).toEqual(["trusted", true]);
});

test("the same content in another directory is not trusted [SEC-1]", async () => {
  const project = createConfigProject({ project: WANTING });
  await trust(project);
  project.write("copy/.troupe/config.yaml", WANTING);
  const copy = createMachineAt({ cwd: join(dirname(project.root), "copy"), env: project.env });
  expect(await look(copy)).toEqual(["untrusted", false]);
});

test("trust is for where a directory really is, whatever link leads there [SEC-1, T8]", async () => {
  const project = createConfigProject({ project: WANTING });
  const link = join(dirname(project.root), "link");
  symlinkSync(project.root, link);
  await trust(project);
  expect(await look(createMachineAt({ cwd: link, env: project.env }))).toEqual(["trusted", true]);
  project.write("evil/.troupe/config.yaml", WANTING);
  rmSync(link);
  symlinkSync(join(dirname(project.root), "evil"), link);
  expect(await look(createMachineAt({ cwd: link, env: project.env }))).toEqual([
    "untrusted",
    false,
  ]);
});

test("trust can be taken back [SEC-1]", async () => {
  const project = createConfigProject({ project: WANTING });
  await trust(project);
  expect(revokeTrust(project.env, project.root)).toBe(true);
  expect(revokeTrust(project.env, project.root)).toBe(false);
  expect(await look(project.machine())).toEqual(["untrusted", false]);
});

test("--trust takes everything for this once and keeps nothing [SEC-1]", async () => {
  const project = createConfigProject({ project: WANTING });
  expect(await look(project.machine({ trustsProject: true }))).toEqual(["given", true]);
  expect(existsSync(trustFilePath(project.env))).toBe(false);
});

test.each([
  ["permissions: { allow: [Read] }", true],
  ["permissions: { deny: [Read] }", true],
  ["backends: { claude: { command: ./claude } }", true],
  ["backends: { claude: { args: [--yolo] } }", true],
  ["backends: { claude: { env: { NODE_OPTIONS: x } } }", true],
  ["backends: { codex: { baseUrl: 'http://evil.example' } }", true],
  ["backends: { codex: { apiKeyEnv: OTHER_KEY } }", true],
  ["backends: { mine: { type: acp } }", true],
  ["plugins: [./p.ts]", true],
  ["env: { allow: [AWS_PROFILE] }", true],
  ["defaults: { permissionMode: bypass }", true],
  ["defaults: { permissionMode: accept-edits }", true],
  ["roles: { worker: { instructions: x } }", true],
  ["engine: { restate: 'http://evil.example' }", true],
  [
    "defaults: { backend: script, model: m, timeout: 1h, maxConcurrency: 3, permissionMode: plan }",
    false,
  ],
  ["backends: { claude: { model: m } }", false],
  ["limits: { maxAgents: 3, hostConcurrency: 2 }", false],
  ["budget: { cost: 3 }", false],
  ["prices: { m: { inputPerMTok: 1, outputPerMTok: 1 } }", false],
  ["secrets: [X]", false],
  ["notify: true", false],
])("of a project, %s needs trust: %s [SEC-1, T18]", async (text, isNeeded) => {
  const { machine } = createConfigProject({ project: `${text}\n` });
  expect((await configOf(machine())).trust).toBe(isNeeded ? "untrusted" : "not-needed");
});

test("the user's own configuration needs no trust [SEC-1]", async () => {
  const { machine } = createConfigProject({ user: WANTING });
  expect(await look(machine())).toEqual(["not-needed", true]);
});

test.each<[string, (file: string) => void]>([
  ["is damaged", (file) => writeFileSync(file, "{")],
  ["has another form", (file) => writeFileSync(file, '{"version":2}')],
  ["may be written by others", (file) => chmodSync(file, 0o666)],
  [
    "is a link",
    (file) => {
      writeFileSync(`${file}.real`, readFileSync(file));
      rmSync(file);
      symlinkSync(`${file}.real`, file);
    },
  ],
])("a list that %s trusts nobody and is never overwritten [SEC-1]", async (_what, spoil) => {
  const project = createConfigProject({ project: WANTING });
  await trust(project);
  spoil(trustFilePath(project.env));
  const before = readFileSync(trustFilePath(project.env), "utf8");
  expect(await look(project.machine())).toEqual(["untrusted", false]);
  await expect(trust(project)).rejects.toMatchObject({ code: "TRUST_UNREADABLE" });
  expect(readFileSync(trustFilePath(project.env), "utf8")).toBe(before);
});

test("where the state directory cannot be made, runs work untrusted and trust says why [SEC-1]", async () => {
  const project = createConfigProject({ project: WANTING });
  const env = { ...project.env, XDG_STATE_HOME: join(project.root, ".troupe/config.yaml/no") };
  expect(await look(createMachineAt({ cwd: project.root, env }))).toEqual(["untrusted", false]);
  expect(() => grantTrust(env, { directory: project.root, hash: "h", trustedAt: "t" })).toThrow(
    expect.objectContaining({ code: "TRUST_UNWRITABLE" }),
  );
});
