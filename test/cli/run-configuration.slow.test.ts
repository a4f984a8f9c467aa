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

/** Exit code of a chat that its person has left. */
const LEFT = 0;

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
    ["a team with a list of tasks", {}, ["team", DONE, "--agent", "model", "--name", "t"]],
    ["an agent that may spawn others", {}, ["collab", DONE, "--agent", "model"]],
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

/** Other ways to go on with what an interrupted run had begun, and what each of them refuses with. */
const WAYS_ON: readonly (readonly [string, readonly string[]])[] = [
  ["resume", ["resume", "@last"]],
  ["resume in the daemon", ["resume", "@last", "--detach"]],
  ["rerun", ["rerun", "@last"]],
  ["fork", ["fork", "@last", "--at", "1"]],
];

test.each(WAYS_ON)(
  "%s of a run that was trusted for itself asks no other server [ENG-23.trust]",
  async (_way, args) => {
    const { type, interrupted, gateway, vendor } = await createTrustedProject({
      "w.yaml": PIPELINE,
    });
    await interrupted("run", "w.yaml");
    const asked = gateway.asked();
    const refused = await type(...args);
    onTestFinished(async () => void (await type("daemon", "stop")));
    const shown = await type("show", "@last");
    expect(refused.err + shown.out).toContain("RUN_CONFIGURATION_DIFFERS");
    expect(refused.err + shown.out).toContain("--trust");
    expect([gateway.asked(), vendor.asked()]).toEqual([asked, 0]);
  },
);

test("a chat that was trusted for itself goes on with --trust, and under another configuration with --accept-config [ENG-23.trust]", async () => {
  const { project, gateway, vendor } = await createTrustedProject({});
  gateway.answerFromNowOn();
  const chat = (...args: readonly string[]) => {
    const io = createFakeIo({
      ...{ cwd: project.root, env: project.env },
      ...{ isTerminal: true, columns: 100, rows: 30 },
    });
    return { io, ended: runCli(["chat", ...args, "--color", "never"], io) };
  };
  /** Resolves with its exit code, once it was open and its person has left it. */
  const leave = async ({ io, ended }: ReturnType<typeof chat>) => {
    await Promise.race([io.seen("enter"), ended.then(() => expect(io.err()).toBe("open"))]);
    io.press("\u0004");
    return ended;
  };
  const first = chat("model", "--trust");
  await first.io.seen("enter");
  first.io.press(`${DONE}\r`);
  await gateway.firstAsked;
  await leave(first);

  const asked = gateway.asked();
  const refused = chat("--resume");
  expect(await refused.ended).not.toBe(0);
  expect(refused.io.err()).toContain("RUN_CONFIGURATION_DIFFERS");
  expect(gateway.asked()).toBe(asked);
  expect(await leave(chat("--resume", "--trust"))).toBe(LEFT);

  project.write("project/.troupe/config.yaml", configFor({ url: "http://127.0.0.1:1/v1" }));
  const changed = chat("--resume", "--trust");
  expect(await changed.ended).not.toBe(0);
  expect(changed.io.err()).toContain("--accept-config");
  expect(await leave(chat("--resume", "--trust", "--accept-config"))).toBe(LEFT);
  const fresh = chat("model", "--accept-config");
  expect(await fresh.ended).toBe(2);
  expect(fresh.io.err()).toContain("--accept-config is for --resume");
  expect(vendor.asked()).toBe(0);
});
