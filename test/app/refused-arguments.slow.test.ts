import { expect, test } from "vitest";
import { createBackend } from "../../src/agents/backends/registry.ts";
import { loadFile } from "../../src/app/workflow/load-file.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { HARMLESS_LINES, REFUSED_LINES } from "../agents/backends/refused-lines.ts";
import { createTestHost } from "../agents/backends/test-host.ts";
import { createConfigProject } from "./machine/config/config-project.ts";

const SHAPES = {
  pattern: (agent: string) => `name: flow\npattern: fan-out\nagents:\n  worker: ${agent}\n`,
  steps: (agent: string) =>
    `id: flow\nagents:\n  worker: ${agent}\nsteps:\n  - { id: s, type: agent, agent: worker, prompt: hi }\n`,
};
const CASES = Object.entries(REFUSED_LINES).flatMap(([backend, lines]) =>
  lines.map((line) => [backend, line] as const),
);

function agentWith(backend: string, line: string): string {
  return JSON.stringify({ backend, args: ["--verbose", ...line.split(" ")] });
}

async function problemsIn(text: string): Promise<readonly string[]> {
  const { machine } = createConfigProject();
  const { problems } = await loadFile(machine(), { file: "flow.yaml", text });
  return problems.map(({ code, line, message }) => `${code} ${line} ${message}`);
}

test.each(CASES)("a file whose %s has `%s` is not valid [T18]", async (backend, line) => {
  for (const shape of Object.values(SHAPES)) {
    const [first = "", ...others] = await problemsIn(shape(agentWith(backend, line)));
    expect(first).toMatch(/^WORKFLOW_ARGUMENT_REFUSED \d+ agents\.worker\.args may not have -/);
    expect(others).toEqual([]);
  }
});

test.each(HARMLESS_LINES)("a file whose %s has `%s` is valid [AGT-10]", async (backend, line) => {
  for (const shape of Object.values(SHAPES))
    expect(await problemsIn(shape(agentWith(backend, line)))).toEqual([]);
});

test("the argument is judged by the backend that the agent gets, at its own place [T18]", async () => {
  const { machine } = createConfigProject();
  const text = SHAPES.pattern('{ backend: claude, args: ["--debug", "--yolo"] }');
  const load = (backend: string) =>
    loadFile(machine(), { file: "flow.yaml", text, backend }).then(({ problems }) => problems);
  expect(await load("claude")).toEqual([]);
  expect(await load("script")).toEqual([]);
  expect(await load("gemini")).toMatchObject([
    {
      code: "WORKFLOW_ARGUMENT_REFUSED",
      severity: "error",
      file: "flow.yaml",
      line: 4,
      column: 48,
    },
  ]);
});

test.each(CASES)("a configuration whose %s has `%s` is not valid [T18]", async (backend, line) => {
  const settings = { args: ["--verbose", ...line.split(" ")] };
  const user = `backends:\n  ${backend}: ${JSON.stringify(settings)}\n`;
  const { problems } = await createConfigProject({ user }).machine().readConfig();
  const message = expect.stringMatching(`^backends\\.${backend}\\.args may not have -`);
  expect(problems).toMatchObject([{ code: "CONFIG_VALUE", severity: "error", line: 2, message }]);
});

test("a command of the configuration holds no bypass either; harmless arguments pass [T18]", async () => {
  const problemsOf = async (settings: object) => {
    const user = JSON.stringify({ backends: { gemini: settings } });
    return (await createConfigProject({ user }).machine().readConfig()).problems;
  };
  const message = "backends.gemini.command may not have --yolo: Troupe decides that";
  expect(await problemsOf({ command: ["node", "g.js", "--yolo"] })).toMatchObject([{ message }]);
  expect(await problemsOf({ command: ["docker", "run", "-e", "KEY", "gemini"] })).toEqual([]);
  expect(await problemsOf({ args: ["--debug", "-m", "x"] })).toEqual([]);
});

test("arguments are judged before the program is looked for [AGT-14, T18]", async () => {
  const functions = new Map();
  const importModule = () => Promise.resolve({});
  const dependencies = { host: createTestHost(), clock: systemClock, functions, importModule };
  for (const [backend, lines] of Object.entries(REFUSED_LINES)) {
    const settings = { command: "/nowhere/at-all" };
    const agent = await createBackend(backend, {
      ...dependencies,
      settings: { [backend]: settings },
    });
    const args = (lines[0] ?? "").split(" ");
    const [first] = (await agent.check?.({ id: "worker", backend, settings: { args } })) ?? [];
    expect(first?.message, backend).toContain(`\`args\` may not have ${args[0]}`);
  }
});
