import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { grantTrust } from "../../../../src/app/machine/trust/trust-store.ts";
import {
  assertConfiguration,
  configurationFor,
} from "../../../../src/app/run/owner/run-configuration.ts";
import type { PatternDefinition } from "../../../../src/contracts/definition.ts";
import { toErrorReport } from "../../../../src/foundation/errors.ts";
import { sha256 } from "../../../../src/foundation/hash.ts";
import { createConfigProject } from "../../machine/config/config-project.ts";

const DEFINITION: PatternDefinition = {
  ...{ format: 1, shape: "pattern", name: "w", pattern: "pipeline", onFailure: "abort" },
  agents: [{ id: "coder", backend: "claude" }],
  ...{ params: {}, steps: [], barriers: [], channel: "main", options: {} },
};

/** What lies in the project and at its user, by what it is called in the rows. */
interface Texts {
  readonly project?: string;
  readonly user?: string;
  readonly env?: { readonly [name: string]: string };
  /** Files of the project. */
  readonly files?: { readonly [path: string]: string };
  readonly isTrusted?: boolean;
}

const RESUMES = "resumes";
const TO_TRUST = "names --trust";
const TO_ACCEPT = "names --accept-config";

const URL_A = 'backends: { anthropic: { baseUrl: "http://127.0.0.1:1/v1" } }\n';
const URL_B = 'backends: { anthropic: { baseUrl: "http://127.0.0.1:2/v1" } }\n';
const RULES = 'permissions: { allow: ["Bash(git *)"] }\n';
const HOOKS = { ".claude/settings.json": '{"hooks":{}}' };
const OTHER_HOOKS = { ".claude/settings.json": '{"hooks":{"Stop":[]}}' };
const TYPE = { ".claude/agents/a.md": "---\nname: a\ndescription: d\n---\nbe kind\n" };

const ROWS: readonly (readonly [string, Texts, Texts, string])[] = [
  ["nothing", {}, {}, RESUMES],
  ["a trusted base URL", { project: URL_A, isTrusted: true }, { isTrusted: true }, RESUMES],
  ["a base URL that is no longer trusted", { project: URL_A, isTrusted: true }, {}, TO_TRUST],
  [
    "a trusted base URL that has changed",
    { project: URL_A, isTrusted: true },
    { project: URL_B, isTrusted: true },
    TO_ACCEPT,
  ],
  [
    "a trusted base URL that is gone",
    { project: URL_A, isTrusted: true },
    { project: "version: 1\n", isTrusted: true },
    TO_ACCEPT,
  ],
  ["a user's base URL that is gone", { user: URL_A }, { user: "version: 1\n" }, TO_ACCEPT],
  ["a user's base URL that has changed", { user: URL_A }, { user: URL_B }, TO_ACCEPT],
  ["a user's base URL that is new", {}, { user: URL_A }, RESUMES],
  ["a project's base URL that nobody trusts", {}, { project: URL_A }, RESUMES],
  ["a project's base URL with --trust", {}, { project: URL_A, isTrusted: true }, RESUMES],
  ["rules that are no longer trusted", { project: RULES, isTrusted: true }, {}, TO_TRUST],
  ["a user's rule that is gone", { user: RULES }, { user: "version: 1\n" }, TO_ACCEPT],
  ["an address in the environment that is gone", { env: { OLLAMA_HOST: "h:1" } }, {}, TO_ACCEPT],
  ["a name of a variable", { project: 'env: { allow: ["X"] }\n', isTrusted: true }, {}, TO_TRUST],
  ["a path", { project: 'sandbox: { write: ["~/x"] }\n', isTrusted: true }, {}, TO_TRUST],
  ["a role", { project: "roles: { r: { backend: claude } }\n", isTrusted: true }, {}, TO_TRUST],
  [
    "a program",
    { project: "backends: { claude: { command: [x] } }\n", isTrusted: true },
    {},
    TO_TRUST,
  ],
  ["a mode", { project: "defaults: { permissionMode: bypass }\n", isTrusted: true }, {}, TO_TRUST],
  [
    "a plug-in",
    { project: "plugins: [./p.mjs]\n", files: { ".troupe/p.mjs": "" }, isTrusted: true },
    {},
    TO_TRUST,
  ],
  ["hooks that are no longer trusted", { files: HOOKS, isTrusted: true }, {}, TO_TRUST],
  [
    "hooks that have changed",
    { files: HOOKS, isTrusted: true },
    { files: OTHER_HOOKS, isTrusted: true },
    TO_ACCEPT,
  ],
  ["hooks that nobody trusts", {}, { files: HOOKS }, RESUMES],
  ["an agent type that is no longer trusted", { files: TYPE, isTrusted: true }, {}, TO_TRUST],
  [
    "a backend that the run does not know",
    {},
    { user: "backends: { mine: { type: acp, command: [x] } }\n" },
    RESUMES,
  ],
];

test.each(ROWS.map(([what, before, now, expected]) => [what, { before, now, expected }] as const))(
  "resuming a run whose configuration differs by %s is as safe as it was [ENG-23.trust]",
  async (_what, { before, now, expected }) => {
    const project = createConfigProject();
    const write = ({ user, project: own, files = {} }: Texts) => {
      if (user !== undefined) project.write("home/.config/troupe/config.yaml", user);
      if (own !== undefined) project.write("project/.troupe/config.yaml", own);
      for (const [path, text] of Object.entries(files)) project.write(`project/${path}`, text);
    };
    const machineOf = ({ isTrusted = false, env = {} }: Texts) => {
      const machine = project.machine({ trustsProject: isTrusted });
      return { ...machine, env: { ...machine.env, ...env } };
    };
    write(before);
    const recorded = await configurationFor(machineOf(before), DEFINITION, project.root);
    write(now);
    const run = { run: "run_aaaaaa", recorded, definition: DEFINITION, cwd: project.root };
    const told = await assertConfiguration(machineOf(now), run, false).then(
      () => RESUMES,
      (error: unknown) => toErrorReport(error).hint ?? "",
    );
    expect(told).toContain(expected.replace("names ", ""));
    // Whatever it is, a person can accept it.
    await assertConfiguration(machineOf(now), run, true);
  },
);

test("what a project adds after a run began waits for --trust, also where the project was trusted since [ENG-23.trust]", async () => {
  const project = createConfigProject();
  const compared = { run: "run_aaaaaa", definition: DEFINITION, cwd: project.root };
  const recorded = await configurationFor(project.machine(), DEFINITION, project.root);
  project.write("project/.troupe/config.yaml", URL_A);
  const [hash, trustedAt] = [sha256(URL_A), new Date(0).toISOString()];
  grantTrust(project.env, { directory: project.root, hash, trustedAt });
  await expect(
    assertConfiguration(project.machine(), { ...compared, recorded }, false),
  ).rejects.toThrow("backends.anthropic.baseUrl was not set, now http://127.0.0.1:1/v1");
  const given = project.machine({ trustsProject: true });
  expect(await assertConfiguration(given, { ...compared, recorded }, false)).toEqual({
    settings: { "backends.anthropic.baseUrl": "http://127.0.0.1:1/v1" },
    isGiven: true,
  });
});

test("secrets are neither recorded nor shown, and may be replaced meanwhile [ENG-23.trust]", async () => {
  const settings = (key: string, url: string) =>
    `backends: { claude: { env: { API_KEY: ${key} }, baseUrl: "http://u:${key}@127.0.0.1:${url}" } }\n`;
  const project = createConfigProject({ user: settings("k-first-1234", "1") });
  const recorded = await configurationFor(project.machine(), DEFINITION, project.root);
  expect(JSON.stringify(recorded)).not.toContain("k-first");
  const run = { run: "run_aaaaaa", recorded, definition: DEFINITION, cwd: project.root };
  project.write("home/.config/troupe/config.yaml", settings("k-second-1234", "1"));
  expect(await assertConfiguration(project.machine(), run, false)).toBeUndefined();
  project.write("home/.config/troupe/config.yaml", settings("k-second-1234", "2"));
  const error = await assertConfiguration(project.machine(), run, false).catch(toErrorReport);
  expect(JSON.stringify(error)).not.toMatch(/k-first|k-second/);
  rmSync(join(project.home, ".config"), { recursive: true });
  await expect(assertConfiguration(project.machine(), run, false)).rejects.toThrow("now not set");
});
