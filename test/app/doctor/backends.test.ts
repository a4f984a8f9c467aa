import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ConfigSettings } from "../../../src/app/config/config-settings.ts";
import { lookUpBackend } from "../../../src/app/doctor/backend-state.ts";
import { chooseDefaultBackend } from "../../../src/app/doctor/default-backend.ts";
import { preflight } from "../../../src/app/preflight.ts";
import type { PatternDefinition } from "../../../src/contracts/definition.ts";
import { createConfigProject } from "../config/config-project.ts";

const CLIS = ["claude", "codex", "gemini", "opencode"];

/** Surroundings in which these programs are on PATH, and those backends can be run. */
function surroundings(
  programs: readonly string[],
  supported: readonly string[] = CLIS,
  settings: ConfigSettings = {},
) {
  const { root } = createConfigProject();
  const bin = join(root, "bin");
  mkdirSync(bin);
  for (const name of programs) writeFileSync(join(bin, name), "#!/bin/sh\n", { mode: 0o755 });
  return { env: { PATH: bin }, cwd: root, settings, supported };
}

interface Choice {
  readonly programs: readonly string[];
  readonly supported: readonly string[];
  readonly settings?: ConfigSettings;
  readonly expected: readonly [backend: string, origin: string];
}

test.each<Choice>([
  { programs: ["codex", "opencode"], supported: CLIS, expected: ["codex", "found"] },
  { programs: CLIS, supported: CLIS, expected: ["claude", "found"] },
  { programs: CLIS, supported: ["opencode"], expected: ["opencode", "found"] },
  { programs: ["aider"], supported: CLIS, expected: ["claude", "nothing-found"] },
  { programs: ["gemini"], supported: [], expected: ["gemini", "nothing-found"] },
  { programs: [], supported: CLIS, expected: ["claude", "nothing-found"] },
  {
    programs: CLIS,
    supported: CLIS,
    settings: { defaults: { backend: "gemini" } },
    expected: ["gemini", "configuration"],
  },
  {
    programs: [],
    supported: ["script"],
    settings: { defaults: { backend: "script" } },
    expected: ["script", "configuration"],
  },
])(
  "with $programs installed, $supported supported and $settings the default is $expected [WF-12]",
  ({ programs, supported, settings, expected }) => {
    const { backend, origin } = chooseDefaultBackend(surroundings(programs, supported, settings));
    expect([backend, origin]).toEqual(expected);
  },
);

test("a program that is missing is told with how to install it [AGT-14]", () => {
  expect(lookUpBackend("codex", surroundings([]))).toEqual({
    backend: "codex",
    status: "missing",
    message: 'needs the command "codex", which is not on PATH',
    hint: "install it: npm install -g @openai/codex",
  });
});

test("a configured command takes the place of the usual one [AGT-14]", () => {
  const settings = { backends: { codex: { command: ["my-codex", "--x"] } } };
  expect(lookUpBackend("codex", surroundings(["my-codex"], CLIS, settings))).toMatchObject({
    status: "ready",
    program: expect.stringMatching(/\/my-codex$/),
  });
  expect(lookUpBackend("codex", surroundings(["codex"], CLIS, settings)).status).toBe("missing");
});

test("what lies among the packages of a project is no program [AGT-14, T18]", () => {
  const { root } = createConfigProject();
  const bin = join(root, "node_modules/.bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "claude"), "#!/bin/sh\n", { mode: 0o755 });
  const env = { PATH: `${bin}:node_modules/.bin:.` };
  const given = { env, cwd: root, settings: {}, supported: CLIS };
  expect(lookUpBackend("claude", given).status).toBe("missing");
});

test("a backend of one's own is named by its type until it can be run [AGT-14]", () => {
  const settings: ConfigSettings = { backends: { mine: { type: "acp" } } };
  const { supported: _, ...given } = surroundings([], CLIS, settings);
  expect(lookUpBackend("mine", given)).toMatchObject({
    status: "unsupported",
    message: "this version cannot run agents of type acp yet",
  });
  expect(lookUpBackend("mien", given)).toMatchObject({
    status: "missing",
    message: 'there is no backend "mien"',
    hint: expect.stringContaining('did you mean "mine"?'),
  });
});

function definitionOf(backends: readonly string[]): PatternDefinition {
  return {
    format: 1,
    shape: "pattern",
    name: "many",
    pattern: "fan-out",
    params: {},
    agents: backends.map((backend, index) => ({ id: `a${index}`, backend })),
    steps: [],
    barriers: [],
    onFailure: "continue",
    channel: "main",
    options: {},
  };
}

test("preflight tells what every agent lacks at once, with what to do [AGT-14, WF-12]", async () => {
  const given = surroundings([], ["claude", "codex"]);
  const ports = {
    backend: () => {
      throw new Error("is not asked for");
    },
    lookUp: (name: string) => lookUpBackend(name, given),
    file: "flows/review.yaml",
  };
  await expect(preflight(definitionOf(["claude", "codex", "gemini"]), ports)).rejects.toMatchObject(
    {
      code: "BACKEND_PREFLIGHT_FAILED",
      message: [
        'agent "a0": needs the command "claude", which is not on PATH',
        'agent "a1": needs the command "codex", which is not on PATH',
        'agent "a2": this version cannot run gemini agents yet',
      ].join("\n"),
      hint: expect.stringContaining("troupe run flows/review.yaml --backend script"),
    },
  );
});

test("a hostile file name is not put into a command to copy [AGT-14, T6]", async () => {
  const ports = {
    backend: () => {
      throw new Error("is not asked for");
    },
    lookUp: (name: string) => lookUpBackend(name, surroundings([])),
    file: "x; rm -rf ~",
  };
  await expect(preflight(definitionOf(["claude"]), ports)).rejects.toMatchObject({
    hint: expect.stringContaining("troupe run FILE --backend script"),
  });
});
