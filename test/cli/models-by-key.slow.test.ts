import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { chatFile, collabFile, teamFile } from "../../src/app/workflow/single-agent.ts";
import { createConfigProject } from "../app/machine/config/config-project.ts";
import { startModelServer } from "../clients/model-server/model-server.ts";
import { scriptText } from "../clients/model-server/script.ts";
import { call } from "./fake-io.ts";

/** A user with a key of Anthropic, whose models are asked at a scripted server, and with no program of an agent. */
async function keyedUser(more = "") {
  const server = await startModelServer();
  onTestFinished(() => server.close());
  const baseUrl = `${server.urlFor("user")}/v1`;
  const user = `backends: { anthropic: { baseUrl: "${baseUrl}" }${more} }\n`;
  const { root, env } = createConfigProject({ user });
  const bin = join(root, "bin");
  mkdirSync(bin);
  const keyed = { ...env, PATH: `${bin}:/usr/bin:/bin`, ANTHROPIC_API_KEY: "sk-ant-0123456789" };
  return { root, server, env: keyed, baseUrl };
}

test("with a key and no program of an agent, agents that name nothing are models; run --agent model takes the same [WF-12.order]", async () => {
  const { root, server, env } = await keyedUser();
  const task = scriptText({ text: "DONE: looked" });
  const run = await call(root, ["run", "--agent", "model", task, "-q"], { env });
  expect(run).toMatchObject({ exitCode: 0, out: expect.stringContaining("looked") });
  const { request } = server.calls().at(-1) ?? {};
  expect(request?.model).toBe("claude-sonnet-4-5");
  const text = "name: plain\npattern: fan-out\nagents: [{ id: a }]\n";
  writeFileSync(join(root, "plain.yaml"), text);
  const plain = await call(root, ["run", "plain.yaml", task, "-q"], { env });
  expect(plain).toMatchObject({ exitCode: 0, out: expect.stringContaining("looked") });
  const doctor = await call(root, ["doctor"], { env });
  expect(doctor.exitCode).toBe(0);
  expect(doctor.out).toMatch(/^✔ default +anthropic\/claude-sonnet-4-5 \(no program of an agent/m);
  expect(doctor.out).toMatch(/^✔ models +anthropic by ANTHROPIC_API_KEY; troupe doctor --online/m);
  expect(doctor.out).not.toContain("sk-ant");
});

test("an agent without a file may be one of a provider's models by its name, and who nobody knows is told with who there is [WF-12.model, CLI-1]", async () => {
  const { root, server, env } = await keyedUser();
  const task = scriptText({ text: "DONE: looked" });
  const run = await call(root, ["run", "--agent", "anthropic/claude-haiku", task, "-q"], { env });
  expect(run).toMatchObject({ exitCode: 0, out: expect.stringContaining("looked") });
  expect(server.calls().at(-1)?.request?.model).toBe("claude-haiku");
  const series = ["iter", "1", task, "--agent", "anthropic/claude-opus", "-q"];
  expect((await call(root, series, { env })).exitCode).toBe(0);
  expect(server.calls().at(-1)?.request?.model).toBe("claude-opus");
  const wrong = await call(root, ["run", "--agent", "antropic/claude-haiku", task], { env });
  expect(wrong.exitCode).toBe(2);
  expect(wrong.err).toContain('nobody knows the provider "antropic"');
  expect(wrong.err).toContain('did you mean "anthropic"?');
});

test("so may whom one speaks with, who leads, and who works, each with a model of its own [WF-12.model]", async () => {
  const { root, env } = await keyedUser();
  const machine = createMachineAt({ cwd: root, env });
  const asked = { argv: [], model: undefined, systemPrompt: undefined };
  const chat = await chatFile(machine, { ...asked, backend: "anthropic/one" });
  expect(JSON.parse(chat.text ?? "")).toMatchObject({
    agents: { anthropic: { model: "anthropic/one" } },
  });
  const settings = {
    model: undefined,
    maxRetries: undefined,
    turnTimeout: undefined,
    settings: {},
  };
  const leader = { backend: "anthropic/one", argv: [] };
  const workers = ["anthropic/two", "human"];
  const team = await teamFile(machine, { ...settings, leader, workers });
  expect(JSON.parse(team.text ?? "").agents).toEqual([
    { id: "lead", role: "lead", model: "anthropic/one" },
    { id: "anthropic-1", role: "worker", model: "anthropic/two" },
    { id: "person-2", role: "worker", backend: "human" },
  ]);
  const goal = { agent: "anthropic/one", argv: [], roles: undefined };
  const collab = await collabFile(machine, { ...goal, model: undefined, turnTimeout: undefined });
  expect(JSON.parse(collab.text ?? "").agents).toMatchObject([
    { id: "orchestrator", model: "anthropic/one", spawns: true },
  ]);
});

test("init begins with such a model, and its workflow runs [WF-12.order]", async () => {
  const { root, env } = await keyedUser();
  const init = await call(root, ["init", "--yes"], { env });
  expect(init.exitCode).toBe(0);
  expect(init.out).toContain("anthropic/claude-sonnet-4-5");
  const text = readFileSync(join(root, "workflows/survey.yaml"), "utf8");
  expect(text).toContain(
    "- { id: summary, model: anthropic/claude-sonnet-4-5, permissionMode: plan }",
  );
  expect((await call(root, ["validate", "workflows/survey.yaml"], { env })).exitCode).toBe(0);
});

test("doctor --online asks each model for a word, and says in the provider's words why one does not answer [AGT-14]", async () => {
  const { root, server, env, baseUrl } = await keyedUser(
    ', dead: { type: model, baseUrl: "http://127.0.0.1:1/v1", model: qwen3 }',
  );
  const asked = server.calls().length;
  await call(root, ["doctor"], { env });
  expect(server.calls()).toHaveLength(asked);
  const { exitCode, out } = await call(root, ["doctor", "--online"], { env });
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^✔ models +anthropic\/claude-sonnet-4-5 answers, after \d+\.\d s$/m);
  expect(out).toMatch(/^▲ models +dead\/qwen3 does not answer: /m);
  expect(server.calls()).toHaveLength(1);
  expect(JSON.parse(server.calls()[0]?.body ?? "")).toMatchObject({ max_tokens: 16 });
  await server.close();
  const gone = await call(root, ["doctor", "--online"], { env });
  expect(gone.out).toContain(`it was asked at ${baseUrl} with ANTHROPIC_API_KEY`);
  expect(gone.out).not.toContain("sk-ant");
});

test("without a key doctor --online has nothing to try, and says so [AGT-14]", async () => {
  const { root, env } = createConfigProject({ user: "defaults: { backend: script }\n" });
  const { exitCode, out } = await call(root, ["doctor", "--online"], { env });
  expect(exitCode).toBe(0);
  expect(out).toMatch(/nothing to try: no key of a provider is set/);
});

/** As the format that it is of shows it first. */
const REVIEW = `# review.yaml
name: code-review

# Shared context (optional, defaults enabled)
context:

agents:
  reviewer:
    model: anthropic/claude-sonnet-4-5
    system_prompt: prompts/reviewer.md

  coder:
    model: anthropic/claude-sonnet-4-5
    system_prompt: prompts/coder.md

# Optional: shell commands for setup
setup:
  - shell: gh pr diff
    as: diff

# Kickoff message - triggers workflow via @mention
kickoff: |
  PR diff:
  \${{ diff }}

  @reviewer please review these changes.
  When issues found, @coder to fix them.
`;

test("a workflow of the channel format whose agents are models runs as its format shows it first [KCK-5.model, KCK-5.agents]", async () => {
  const { root, server, env } = await keyedUser();
  mkdirSync(join(root, "prompts"));
  const tell = { tool: "channel_send", args: { message: "@coder line 3 is wrong" } };
  const prompts = {
    reviewer: scriptText({ calls: [tell] }, { text: "I have reviewed it." }),
    coder: scriptText({ calls: [{ tool: "LS" }] }, { text: "I have mended it." }),
  };
  for (const [name, prompt] of Object.entries(prompts))
    writeFileSync(join(root, "prompts", `${name}.md`), `You are the ${name}.\n${prompt}\n`);
  writeFileSync(join(root, "bin", "gh"), "#!/bin/sh\necho the diff of $1 $2\n", { mode: 0o755 });
  writeFileSync(join(root, "review.yaml"), REVIEW);
  const run = await call(root, ["run", "review.yaml", "-q"], { env });
  expect(run).toMatchObject({ exitCode: 0 });
  const bodies = server.calls().map(({ body }) => body);
  for (const name of ["reviewer", "coder"]) {
    const own = bodies.filter((body) => body.includes(`You are the ${name}.`));
    expect(own.length).toBeGreaterThan(1);
    expect(own[0]).toContain("the diff of pr diff");
  }
  const coder = bodies.filter((body) => body.includes("You are the coder.")).join("");
  expect(coder).toContain("line 3 is wrong");
});
