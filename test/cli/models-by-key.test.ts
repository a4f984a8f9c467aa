import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
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
