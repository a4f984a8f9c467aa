import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { builtInBackends, createBackend } from "../../src/agents/backends/registry.ts";
import { agentPrograms } from "../../src/app/machine/backends/agent-programs.ts";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { startRun } from "../../src/app/run/start-run.ts";
import { loadFile } from "../../src/app/workflow/load-file.ts";
import { systemClock } from "../../src/foundation/clock.ts";
import { assertLoaded } from "../../src/workflows/load-workflow.ts";
import { createTestHost } from "../agents/backends/test-host.ts";
import { addProgram, createConfigProject } from "./machine/config/config-project.ts";

/** What a person's shell holds; each value is like no other. */
const CANARIES: { readonly [name: string]: string } = Object.fromEntries(
  [
    ...["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AZURE_CLIENT_SECRET"],
    ...["GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN", "NPM_TOKEN", "NODE_AUTH_TOKEN", "PYPI_TOKEN"],
    ...["DATABASE_URL", "PGPASSWORD", "REDIS_URL", "SSH_AUTH_SOCK", "GPG_AGENT_INFO", "KUBECONFIG"],
    ...["SLACK_TOKEN", "STRIPE_KEY", "SENTRY_DSN", "HF_TOKEN", "VAULT_TOKEN", "DOCKER_PASSWORD"],
    ...["NODE_OPTIONS_SECRET", "LD_SECRET", "TROUPE_CONTEXT_TOKEN", "TROUPE_SECRET", "MY_SECRET"],
    ...["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "CURSOR_API_KEY"],
    ...["ALLOWED_SECRET", "CONFIGURED_KEY"],
  ].map((name, index) => [name, `canary-${index}-${name.toLowerCase()}`]),
);

const runnable = agentPrograms.filter(({ backend }) =>
  builtInBackends.some(({ name }) => name === backend),
);

const dependencies = {
  host: createTestHost(),
  clock: systemClock,
  functions: new Map(),
  importModule: async () => ({}),
};

test.each(runnable)(
  "of more than 30 secrets $backend agents see what their backend passes, the configuration allows and the workflow names [AGT-11, T11, P23.environment]",
  async ({ backend, file: program }) => {
    const project = createConfigProject({
      user: `env: { allow: [ALLOWED_SECRET] }\nbackends: { ${backend}: { apiKeyEnv: CONFIGURED_KEY, model: openai/m } }\n`,
      env: CANARIES,
    });
    const bin = join(project.root, "bin");
    addProgram(bin, program, `env >> ${project.root}/seen; exit 1`);
    const machine = createMachineAt({
      cwd: project.root,
      env: { ...project.env, PATH: `${bin}:/usr/bin:/bin` },
    });
    const text = `name: f\npattern: dag\nagents: [{ id: a, backend: ${backend}, onCrash: fail, permissionMode: dont-ask, env: { NAMED: named-by-flow } }]\nsteps: [{ id: s, agent: a, prompt: go, maxRetries: 0 }]\n`;
    const definition = assertLoaded(await loadFile(machine, { file: "f.yaml", text }));
    const run = await startRun(machine, definition);
    await run.result;
    const seen = readFileSync(join(project.root, "seen"), "utf8");
    expect(seen).toContain("NAMED=named-by-flow");
    const { passes = [] } = await createBackend(backend, dependencies);
    const expected = new Set(["ALLOWED_SECRET", "CONFIGURED_KEY", ...passes]);
    const leaked = Object.entries(CANARIES).filter(
      ([name, value]) => seen.includes(value) && !expected.has(name),
    );
    expect(leaked).toEqual([]);
    expect(seen).toContain(CANARIES["ALLOWED_SECRET"]);
  },
);
