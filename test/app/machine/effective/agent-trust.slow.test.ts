import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMachineAt } from "../../../../src/app/machine/machine.ts";
import { startRun } from "../../../../src/app/run/start-run.ts";
import { loadFile } from "../../../../src/app/workflow/load-file.ts";
import { assertLoaded } from "../../../../src/workflows/load-workflow.ts";
import { addProgram, createConfigProject } from "../config/config-project.ts";

const FLOW =
  "name: f\npattern: dag\nagents: [{ id: a, backend: claude, onCrash: fail, permissionMode: dont-ask }]\nsteps: [{ id: s, agent: a, prompt: go, maxRetries: 0 }]\n";

test.each([
  [true, "--setting-sources=project,local"],
  [false, "--setting-sources="],
])(
  "with trust %s an agent's program is started with %s [SEC-1, T18]",
  async (trustsProject, expected) => {
    const project = createConfigProject({ env: { ANTHROPIC_API_KEY: "k".repeat(20) } });
    project.write("project/.claude/settings.json", "{}");
    const bin = join(project.root, "bin");
    addProgram(bin, "claude", `printf '%s\\n' "$@" > ${project.root}/arguments; exit 1`);
    const env = { ...project.env, PATH: `${bin}:/usr/bin:/bin` };
    const machine = createMachineAt({ cwd: project.root, env, trustsProject });
    const definition = assertLoaded(await loadFile(machine, { file: "f.yaml", text: FLOW }));
    await (await startRun(machine, definition)).result;
    expect(readFileSync(join(project.root, "arguments"), "utf8").split("\n")).toContain(expected);
  },
);
