import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { takesAll } from "../cases.ts";
import { startGateway } from "../cli/gateway.ts";
import { startModelServer } from "../clients/model-server/model-server.ts";
import { scriptText } from "../clients/model-server/script.ts";
import { eventually } from "../host/survivors.ts";
import { createUser, type DaemonUser } from "./daemon-user.ts";

/** Hangs until it is killed with its owner; once somebody has seen to it, it ends at once. */
const DEADLY = "[ -e stop ] || { echo x >> begun; exec sleep 300; }; echo DONE: x";

/** Where a process may die again and again: in the turn of an agent, and in all that runs beside turns. */
const DEADLY_PLACES: readonly (readonly [string, string])[] = [
  [
    "the turn of an agent",
    `name: w
pattern: pipeline
agents: [{ id: long, backend: command, command: ["sh", "-c", "${DEADLY}"] }]
steps: [{ id: s, agent: long, prompt: go, maxAttempts: 1 }]
`,
  ],
  [
    "a check of a step",
    `name: w
pattern: pipeline
agents: [{ id: a, backend: command, command: ["echo", "DONE: x"] }]
steps: [{ id: s, agent: a, prompt: go, verify: [{ command: "${DEADLY}" }] }]
`,
  ],
  [
    "a shell step",
    `id: w
steps: [{ id: s, type: shell, command: "${DEADLY}" }]
`,
  ],
  [
    "a set-up command",
    `name: w
setup: [{ shell: "${DEADLY}", as: said }]
agents:
  a: { backend: command, command: ["echo", "DONE: x"] }
kickoff: "@a look at \${{ said }}"
`,
  ],
  [
    "one row of a matrix",
    `name: w
pattern: dag
steps: [{ id: s, matrix: { n: [one] }, command: "${DEADLY}" }]
`,
  ],
];

/** Starts a command that begins the agent's turn, and kills its process there. */
async function die(user: DaemonUser, times: number, ...args: readonly string[]): Promise<void> {
  const owner = user.start(...args);
  const file = join(user.cwd, "begun");
  await eventually(
    () => (existsSync(file) ? readFileSync(file, "utf8").length / 2 : 0),
    (begun) => begun >= times,
  );
  owner.kill("SIGKILL");
  await owner.ended;
}

/** Two of them every day: each dies three times. */
const tried = takesAll() ? DEADLY_PLACES : DEADLY_PLACES.slice(0, 2);

test.each(tried)(
  "a run whose process is killed three times in %s is suspended, and is completed once somebody has seen to it [ENG-23.deaths]",
  async (_place, workflow) => {
    const user = createUser();
    writeFileSync(join(user.cwd, "w.yaml"), workflow);
    await die(user, 1, "run", "w.yaml");
    await die(user, 2, "resume", "@last");
    await die(user, 3, "resume", "@last");
    const suspended = await user.type("resume", "@last");
    expect(suspended.exitCode).toBe(3);
    expect(suspended.out).toMatch(
      /suspended: the process of run_\w+ died 3 times in a row during operation "[^"]+", without progress in between \[ENGINE_CRASH_LOOP\]; find out .* troupe resume run_\w+/,
    );
    const { runs } = JSON.parse((await user.type("runs", "--json")).out);
    expect(runs).toMatchObject([{ state: "suspended" }]);
    writeFileSync(join(user.cwd, "stop"), "");
    expect(await user.type("resume", "@last")).toMatchObject({ exitCode: 0 });
  },
);

const DONE = scriptText({ text: "DONE: all" });
const ONE_MODEL = `
name: w
pattern: pipeline
agents: [{ id: coder, backend: model, model: anthropic/scripted }]
steps: [{ id: s, agent: coder, prompt: ${JSON.stringify(DONE)} }]
`;

/** A run in the daemon, trusted for itself, whose daemon was killed while its model was being asked. */
async function killedDaemon() {
  const model = await startModelServer();
  onTestFinished(() => model.close());
  const gateway = await startGateway(model.urlFor("gateway"));
  const vendor = await startGateway(model.urlFor("vendor"));
  vendor.answerFromNowOn();
  const user = createUser({ ANTHROPIC_API_KEY: "k-0123456789", XDG_CONFIG_HOME: "" });
  const configure = (url: string) => {
    const text = `backends: { anthropic: { baseUrl: "${url}" } }\n`;
    writeFileSync(join(user.cwd, ".troupe/config.yaml"), text);
  };
  mkdirSync(join(user.root, ".config/troupe"), { recursive: true });
  writeFileSync(
    join(user.root, ".config/troupe/config.yaml"),
    `backends: { anthropic: { baseUrl: "${vendor.url}" } }\n`,
  );
  configure(gateway.url);
  writeFileSync(join(user.cwd, "w.yaml"), ONE_MODEL);
  const started = await user.type("run", "w.yaml", "--trust", "--detach");
  expect(started).toMatchObject({ exitCode: 0 });
  await gateway.firstAsked;
  process.kill((await user.daemonPid()) ?? 0, "SIGKILL");
  return { user, gateway, vendor, configure };
}

async function stateOf(user: DaemonUser): Promise<unknown> {
  const { runs } = JSON.parse((await user.type("runs", "--json")).out);
  return runs[0]?.state;
}

test("a daemon that was killed resumes a run with the trust that the run began with [ENG-23.trust, DMN-1]", async () => {
  const { user, gateway, vendor } = await killedDaemon();
  gateway.answerFromNowOn();
  await user.type("daemon", "start");
  await gateway.askedTimes(2);
  await eventually(
    () => stateOf(user),
    (state) => state === "completed",
  );
  expect(vendor.asked()).toBe(0);
});

test("a daemon that was killed does not resume a run whose project names another server since, and says so [ENG-23.trust, DMN-1]", async () => {
  const { user, gateway, vendor, configure } = await killedDaemon();
  configure(vendor.url);
  await user.type("daemon", "start");
  const status = await eventually(
    async () => (await user.type("daemon", "status")).out,
    (out) => out.includes("given up"),
  );
  expect(status).toContain("began with another configuration");
  expect(vendor.asked()).toBe(0);
  expect(await stateOf(user)).toBe("suspended");
  const refused = await user.type("resume", "@last", "--trust");
  expect(refused).toMatchObject({ exitCode: 2 });
  expect(refused.err).toContain("--accept-config");
  expect([gateway.asked(), vendor.asked()]).toEqual([1, 0]);
  expect(await user.type("resume", "@last", "--trust", "--accept-config")).toMatchObject({
    exitCode: 0,
  });
  expect(vendor.asked()).toBeGreaterThan(0);
});
