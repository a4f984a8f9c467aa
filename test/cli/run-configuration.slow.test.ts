import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { type ConfigProject, createConfigProject } from "../app/machine/config/config-project.ts";
import { startModelServer } from "../clients/model-server/model-server.ts";
import { scriptText } from "../clients/model-server/script.ts";
import { type Called, call, createFakeIo } from "./fake-io.ts";
import { type Gateway, startGateway } from "./gateway.ts";

/** A project that sends the conversation to a gateway of its own, and a user whose model is elsewhere. */
interface TrustedProject {
  readonly project: ConfigProject;
  /** The server that the project names. */
  readonly gateway: Gateway;
  /** The server that is asked without the project's word. */
  readonly vendor: Gateway;
  type(...args: readonly string[]): Promise<Called>;
  /** Begins a run with `--trust`, and suspends it in its first turn. */
  interrupted(...args: readonly string[]): Promise<void>;
}

const DONE = scriptText({ text: "DONE: all" });
const AGENT = "{ id: coder, backend: model, model: anthropic/scripted }";
const PIPELINE = `
name: w
pattern: pipeline
agents: [${AGENT}]
steps: [{ id: s, agent: coder, prompt: ${JSON.stringify(DONE)} }]
`;

async function createTrustedProject(files: { readonly [name: string]: string }) {
  const model = await startModelServer();
  onTestFinished(() => model.close());
  const gateway = await startGateway(model.urlFor("gateway"));
  const vendor = await startGateway(model.urlFor("vendor"));
  vendor.answerFromNowOn();
  const project = createConfigProject({
    user: `backends: { anthropic: { baseUrl: "${vendor.url}" }, model: { model: anthropic/scripted } }\n`,
    project: configFor(gateway),
    env: { ANTHROPIC_API_KEY: "k-0123456789" },
  });
  for (const [name, text] of Object.entries(files)) project.write(`project/${name}`, text);
  const options = { env: project.env };
  const trusted: TrustedProject = {
    project,
    gateway,
    vendor,
    type: (...args) => call(project.root, args, options),
    interrupted: async (...args) => {
      const io = createFakeIo({ cwd: project.root, ...options });
      const ended = runCli([...args, "--trust", "--color", "never"], io);
      await Promise.race([gateway.firstAsked, ended.then(() => expect(io.err()).toBe("asked"))]);
      io.signal("SIGINT");
      expect(await ended).toBe(130);
    },
  };
  return trusted;
}

function configFor({ url }: Pick<Gateway, "url">): string {
  return `backends: { anthropic: { baseUrl: "${url}" } }\n`;
}

const TALK = `
name: w
pattern: mesh
agents: [${AGENT}, { id: other, backend: script, script: [{ say: ok }] }]
`;
const PARENT = `
id: parent
steps: [{ id: below, type: workflow, file: c.yaml }]
`;
const CHILD = `
id: child
agents: [${AGENT}]
steps: [{ id: s, type: agent, agent: coder, prompt: ${JSON.stringify(DONE)} }]
`;

const RUNS: readonly (readonly [string, { readonly [name: string]: string }, readonly string[]])[] =
  [
    ["a pipeline", { "w.yaml": PIPELINE }, ["run", "w.yaml"]],
    ["a conversation", { "w.yaml": TALK }, ["run", "w.yaml", DONE]],
    ["a series", {}, ["iter", "1", DONE, "--agent", "model"]],
    ["a run below another", { "w.yaml": PARENT, "c.yaml": CHILD }, ["run", "w.yaml"]],
  ];

test.each(RUNS)(
  "%s that was trusted for itself is not resumed without that: it is suspended before its model is asked, and says so [ENG-23.trust]",
  async (_kind, files, begin) => {
    const { type, interrupted, gateway, vendor } = await createTrustedProject(files);
    await interrupted(...begin);
    const asked = gateway.asked();
    expect((await type("show", "@last")).out).toMatch(/resume run_\w+ --trust/);
    const refused = await type("resume", "@last");
    expect(refused.exitCode).toBe(2);
    expect(refused.err).toMatch(
      /error\[RUN_CONFIGURATION_DIFFERS\]: run_\w+ began with another configuration: backends\.anthropic\.baseUrl was http:\S+, now not trusted\n.*troupe resume run_\w+ --trust/,
    );
    expect((await type("show", "@last")).out).toContain("[RUN_CONFIGURATION_DIFFERS]");
    expect((await type("resume", "@last", "--explain")).out).toContain("cannot be resumed now");
    expect([gateway.asked(), vendor.asked()]).toEqual([asked, 0]);
    gateway.answerFromNowOn();
    const resumed = await type("resume", "@last", "--trust");
    // A conversation goes on until its limit.
    expect([0, 5]).toContain(resumed.exitCode);
    expect(gateway.asked()).toBeGreaterThan(asked);
    expect(vendor.asked()).toBe(0);
  },
);
