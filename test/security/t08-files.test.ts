import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createVictim } from "./victim.ts";

const AGENTS =
  "agents: { a: { backend: script, script: ./c.yaml } }\nsteps: [{ id: one, agent: a, prompt: x }]\n";

const hostile: { readonly [name: string]: readonly [text: string, told: RegExp] } = {
  "contexts in .git": [`context: { dir: .git/hooks }\n${AGENTS}`, /context\.dir.*\.git/],
  "contexts in .GIT": [`context: { dir: .GIT/hooks }\n${AGENTS}`, /context\.dir.*\.git/],
  "contexts in .troupe": [`context: { dir: .troupe/runs }\n${AGENTS}`, /context\.dir.*\.troupe/],
  "contexts in .claude": [`context: { dir: ./x/.claude }\n${AGENTS}`, /context\.dir.*\.claude/],
  "contexts by a link into .git": [`context: { dir: innocent }\n${AGENTS}`, /context\.dir.*\.git/],
  "contexts in what a variable makes .git": [
    `context: { dir: ".${"$"}{{ instance }}/hooks" }\n${AGENTS}`,
    /context\.dir.*\.…/,
  ],
  "contexts above": [`context: { dir: ../x }\n${AGENTS}`, /WORKFLOW_PATH_OUTSIDE/],
  "a module above": [module("../out.ts#f"), /WORKFLOW_PATH_OUTSIDE/],
  "an absolute module": [module("/etc/passwd#f"), /WORKFLOW_PATH_OUTSIDE/],
  "a module that is a link out": [module("./linked.ts#f"), /WORKFLOW_PATH_OUTSIDE/],
  "a directory of an agent above": [
    `agents: { a: { backend: script, script: ./c.yaml, cwd: ../.. } }\nsteps: [{ id: one, agent: a, prompt: x }]\n`,
    /WORKFLOW_PATH_OUTSIDE/,
  ],
  "an agent called constructor": [
    AGENTS.replaceAll("a: {", "Constructor: {").replace("agent: a", "agent: Constructor"),
    /Constructor/,
  ],
  "a step called prototype": [AGENTS.replace("id: one", "id: prototype"), /prototype/],
};

test.each(Object.entries(hostile))(
  "%s: told at its place before anything runs [T8]",
  async (_name, [text, told]) => {
    const victim = createVictim({ "w.yaml": `name: w\n${text}`, "c.yaml": "turns: []\n" });
    const outside = mkdtempSync(join(tmpdir(), "troupe-out-"));
    onTestFinished(() => rmSync(outside, { recursive: true }));
    writeFileSync(join(outside, "f.ts"), "export const f = () => {};\n");
    symlinkSync(join(outside, "f.ts"), join(victim.project, "linked.ts"));
    mkdirSync(join(victim.project, ".git", "hooks"), { recursive: true });
    symlinkSync(join(victim.project, ".git", "hooks"), join(victim.project, "innocent"));
    for (const command of ["validate", "run"]) {
      const { exitCode, out, err } = await victim.troupe(command, "w.yaml");
      expect(exitCode).not.toBe(0);
      expect(`${out}${err}`).toMatch(told);
      expect(`${out}${err}`).toMatch(/w\.yaml:\d+:\d+/);
    }
  },
);

test("a .troupe that is a link out of the project is no project [T8, SEC-6.links]", async () => {
  const victim = createVictim({ "w.yaml": `name: w\n${AGENTS}` });
  const outside = mkdtempSync(join(tmpdir(), "troupe-out-"));
  onTestFinished(() => rmSync(outside, { recursive: true }));
  rmSync(join(victim.project, ".troupe"), { recursive: true });
  symlinkSync(outside, join(victim.project, ".troupe"));
  const { exitCode, err } = await victim.troupe("run", "w.yaml");
  expect(exitCode).not.toBe(0);
  expect(err).toContain("error[PROJECT_FOREIGN]");
});

const WRITES = [".troupe/config.yaml", ".troupe/agents/a.md", ".troupe/workflows/w.yaml"];

test("a scoped agent that writes what later runs obey breaches its scope, and Troupe's own run files are no breach [SEC-9.scope, T8]", async () => {
  const scoped = (command: string) =>
    JSON.stringify({
      ...{ version: "1.0", name: "w", pattern: "dag" },
      agents: [
        ...[{ id: "a", backend: "command", command }].map((agent) => ({
          ...agent,
          constraints: { fileScope: { include: ["src/**"] } },
        })),
      ],
      steps: [{ id: "s", agent: "a", prompt: "go" }],
    });
  const command = `mkdir -p src .troupe/agents .troupe/workflows; for f in src/a ${WRITES.join(" ")}; do echo "# x" > $f; done`;
  const victim = createVictim({
    "w.json": scoped(`${command}; echo DONE`),
    "good.json": scoped("mkdir -p src; echo x > src/b; echo DONE"),
  });
  expect(await victim.troupe("run", "good.json")).toMatchObject({ exitCode: 0 });
  const { exitCode, out, err } = await victim.troupe("run", "w.json");
  expect(exitCode).toBe(1);
  for (const file of WRITES) expect(out + err).toContain(`${file} (not in fileScope.include)`);
  expect(out + err).not.toContain(".troupe/runs");
});

function module(path: string): string {
  return `agents: { a: { backend: function, module: "${path}" } }\nsteps: [{ id: one, agent: a, prompt: x }]\n`;
}
