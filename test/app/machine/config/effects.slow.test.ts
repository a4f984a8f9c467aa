import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createMachineAt } from "../../../../src/app/machine/machine.ts";
import { startRun } from "../../../../src/app/run/start-run.ts";
import { loadFile } from "../../../../src/app/workflow/load-file.ts";
import type { AgentFunction } from "../../../../src/contracts/agent-function.ts";
import type { JournalEvent } from "../../../../src/contracts/events/event.ts";
import { assertLoaded } from "../../../../src/workflows/load-workflow.ts";
import { type ConfigProject, createConfigProject } from "./config-project.ts";

const COMMAND = (script: string, more = "") =>
  `name: one\npattern: dag\nagents: [{ id: a, backend: command, command: ${JSON.stringify(script)}${more} }]\nsteps: [{ id: s, agent: a }]\n`;
const ASKING =
  "name: one\npattern: dag\nagents: [{ id: a }]\nsteps: [{ id: s, agent: a, prompt: go }]\n";

/** Runs a workflow text in a project; its durable events and the output of its result. */
async function run(
  project: ConfigProject,
  text: string,
  options: { readonly script?: string; readonly env?: { readonly [name: string]: string } } = {},
): Promise<{ readonly events: readonly JournalEvent[]; readonly output: string }> {
  const env = { ...project.env, ...options.env };
  const machine = createMachineAt({ cwd: project.root, env, trustsProject: true });
  const { script } = options;
  if (script !== undefined) project.write("project/cassette.yaml", script);
  const cassette = script === undefined ? {} : { cassette: join(project.root, "cassette.yaml") };
  const loaded = await loadFile(machine, { file: "one.yaml", text, ...cassette });
  const started = await startRun(machine, assertLoaded(loaded), {
    ...(loaded.cassette === undefined ? {} : { cassette: loaded.cassette }),
  });
  const events: JournalEvent[] = [];
  for await (const event of started.events) events.push(event);
  return { events, output: (await started.result).output };
}

describe("the environment of agents", () => {
  const SHOW = COMMAND('printf %s "$ONE,$TWO,$TROUPE_X"');

  test("has the variables that the configuration allows, and never those of another troupe [AGT-11, T11]", async () => {
    const env = { ONE: "1", TWO: "2", TROUPE_X: "3" };
    const none = createConfigProject();
    expect((await run(none, SHOW, { env })).output).toBe(",,");
    const some = createConfigProject({ user: "env: { allow: [TWO, TROUPE_X] }\n" });
    expect((await run(some, SHOW, { env })).output).toBe(",2,");
  });

  test("has what the configuration gives the agents of its backend, under what the workflow says [AGT-11]", async () => {
    const project = createConfigProject({
      user: 'backends: { command: { env: { ONE: a, TWO: b } }, script: { env: { ONE: "no" } } }\n',
    });
    expect((await run(project, SHOW)).output).toBe("a,b,");
    const own = COMMAND('printf %s "$ONE,$TWO"', ", env: { TWO: own }");
    expect((await run(project, own)).output).toBe("a,own");
  });
});

test("named secrets and those of the configuration are in no file of a run [AGT-11, T11]", async () => {
  const project = createConfigProject({
    user: "secrets: [PLAIN_NAME]\nenv: { allow: [PLAIN_NAME] }\nbackends: { command: { env: { SOME_KEY: configured-secret } } }\n",
  });
  const script = 'printf "%s %s" "$PLAIN_NAME" "$SOME_KEY"';
  const { output, events } = await run(project, COMMAND(script), {
    env: { PLAIN_NAME: "inherited-secret" },
  });
  expect(output).toBe("*** ***");
  const runs = join(project.root, ".troupe/runs");
  const files = readdirSync(runs, { recursive: true, encoding: "utf8", withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), "latin1"));
  const all = [...texts, JSON.stringify(events)].join("\n");
  expect(texts.length).toBeGreaterThan(1);
  expect(all).not.toMatch(/inherited-secret|configured-secret/);
});

test("a secret that a file writes into `env`, and a password in an address, are in nothing but the words of the file itself [AGT-11, T11]", async () => {
  const project = createConfigProject();
  const script = 'printf "%s %s" "$MY_TOKEN" "$DATABASE_URL"';
  const address = "postgres://ann:pass-word-of-db@db/x";
  const given = `, env: { MY_TOKEN: literal-secret, DATABASE_URL: "${address}" }`;
  const { output, events } = await run(project, COMMAND(script, given));
  expect(output).toBe("*** postgres://ann:***@db/x");
  const logs = readdirSync(join(project.root, ".troupe/runs"), {
    ...{ recursive: true, encoding: "utf8", withFileTypes: true },
  }).filter(({ name }) => name.endsWith(".log"));
  expect(logs.length).toBeGreaterThan(0);
  const texts = logs.map((file) => readFileSync(join(file.parentPath, file.name), "utf8"));
  const said = events.filter(
    ({ type }) => !["agent-spawned", "operation-scheduled"].includes(type),
  );
  expect([...texts, JSON.stringify(said)].join("\n")).not.toMatch(/literal-secret|pass-word-of-db/);
});

describe("permission rules", () => {
  const asking = (command: string) =>
    `version: 1\nagents: { a: [{ do: [{ permission: { tool: Bash, input: { command: "${command}" }, onDeny: continue } }], say: "DONE: over" }] }\n`;
  const rulesOf = (allow: string, deny: string) =>
    `permissions: { allow: ["${allow}"], deny: ["${deny}"] }\n`;

  test.each([
    ["git push", "allowed", "rule Bash(git *)"],
    ["git push --force", "denied", "rule Bash(*--force*)"],
  ])(
    "decide on %s before anybody is asked, and are named [AGT-10]",
    async (command, decision, comment) => {
      const project = createConfigProject({ user: rulesOf("Bash(git *)", "Bash(*--force*)") });
      const { events } = await run(project, ASKING, { script: asking(command) });
      expect(events.filter(({ type }) => type === "permission-resolved")).toMatchObject([
        { decision, by: "policy", comment },
      ]);
    },
  );

  test("of an untrusted project change nothing [SEC-1, AGT-10]", async () => {
    const project = createConfigProject({ project: "permissions: { allow: [Bash] }\n" });
    project.write("project/cassette.yaml", asking("git push"));
    const machine = project.machine();
    const loaded = await loadFile(machine, {
      file: "one.yaml",
      text: ASKING,
      cassette: join(project.root, "cassette.yaml"),
    });
    const started = await startRun(machine, assertLoaded(loaded), {
      ...(loaded.cassette === undefined ? {} : { cassette: loaded.cassette }),
      suspendsWhenWaiting: true,
    });
    const parting = await started.parted;
    expect(parting).toMatchObject({ status: "suspended", event: { reason: "waiting" } });
  });
});

test("a permission request that nobody decides in the configured time comes to what is configured [AGT-10]", async () => {
  const script = `version: 1\nagents: { a: [{ do: [{ permission: { tool: Bash, input: { command: ls }, onDeny: continue } }], say: "DONE: over" }] }\n`;
  const resolved = async (permissions: string) => {
    const project = createConfigProject({ user: `permissions: { ${permissions} }\n` });
    const { events } = await run(project, ASKING, { script });
    return events.filter(({ type }) => type === "permission-resolved");
  };
  const comment = expect.stringMatching(/^nobody decided within /);
  expect(await resolved("timeout: 1ms")).toMatchObject([
    { decision: "denied", by: "timeout", comment },
  ]);
  expect(await resolved("timeout: 1ms, onTimeout: allow")).toMatchObject([
    { decision: "allowed", by: "timeout", comment },
  ]);
});

describe("limits", () => {
  test("hostConcurrency holds across the runs of two projects of one user [ENG-9]", async () => {
    const first = createConfigProject({ user: "limits: { hostConcurrency: 1 }\n" });
    const second = createConfigProject();
    const unlimited = createConfigProject();
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const start = async (project: ConfigProject, name: string, work: AgentFunction) => {
      const { env } = project === unlimited ? unlimited : first;
      const machine = createMachineAt({ cwd: project.root, env });
      const text =
        "name: f\npattern: dag\nagents: [{ id: a, backend: function, module: './f.ts#f' }]\nsteps: [{ id: s, agent: a }]\n";
      const definition = assertLoaded(await loadFile(machine, { file: "f.yaml", text }));
      const run: AgentFunction = async (input) => {
        order.push(`${name} begins`);
        const said = await work(input);
        order.push(`${name} ends`);
        return said;
      };
      return startRun(machine, definition, { functions: new Map([["a", run]]) });
    };
    const slow = await start(first, "first", async () => {
      begun.resolve();
      await gate.promise;
      return "done";
    });
    await begun.promise;
    const quick = await start(second, "second", async () => "done");
    for await (const event of quick.events) if (event.type === "agent-spawned") break;
    // While a whole run of somebody without a limit goes by, the second one would have begun too.
    const free = await start(unlimited, "third", async () => "done");
    await free.result;
    gate.resolve();
    await Promise.all([slow.result, quick.result]);
    const others = order.filter((entry) => !entry.startsWith("third"));
    expect(others).toEqual(["first begins", "first ends", "second begins", "second ends"]);
  });

  test("maxAgents bounds the live agents of a run [AGT-9]", async () => {
    const project = createConfigProject({ user: "limits: { maxAgents: 1 }\n" });
    const text =
      "name: two\npattern: fan-out\nagents: [{ id: a, backend: script }, { id: b, backend: script }]\nsteps: [{ id: x, agent: a, prompt: go }, { id: y, agent: b, prompt: go }]\n";
    const { events } = await run(project, text);
    expect(JSON.stringify(events)).toContain("AGENT_LIMIT_RUNNING");
  });
});

describe("what a workflow does not say", () => {
  const DEFAULTS =
    "defaults: { backend: script, model: m, permissionMode: plan, maxConcurrency: 3, timeout: 90s }\nbudget: { turns: 5, wallClock: 1m }\n";

  test("comes from the configuration [WF-12.order]", async () => {
    const project = createConfigProject({ user: DEFAULTS });
    const { definition } = await loadFile(project.machine(), { file: "one.yaml", text: ASKING });
    expect(definition).toMatchObject({
      timeoutMs: 90_000,
      maxConcurrency: 3,
      agents: [{ id: "a", backend: "script", permissionMode: "plan" }],
    });
    const { events } = await run(project, ASKING);
    expect(events[0]).toMatchObject({
      type: "run-created",
      limits: { timeoutMs: 90_000, budget: { turns: 5, wallClockMs: 60_000 } },
    });
  });

  test("and what it says wins [WF-12.order]", async () => {
    const project = createConfigProject({ user: DEFAULTS });
    const text =
      "name: one\npattern: dag\nbackend: human\noptions: { timeout: 5s, maxConcurrency: 1 }\nagents: [{ id: a, permissionMode: ask }]\nsteps: [{ id: s, agent: a, prompt: go }]\n";
    const { definition } = await loadFile(project.machine(), { file: "one.yaml", text });
    expect(definition).toMatchObject({
      timeoutMs: 5000,
      maxConcurrency: 1,
      agents: [{ backend: "human", permissionMode: "ask" }],
    });
  });

  test("a model belongs to its backend, or to agents that leave both open [WF-12.order]", async () => {
    const project = createConfigProject({
      user: "defaults: { backend: claude, model: general }\nbackends: { codex: { model: special } }\n",
    });
    const agents = [
      "{ id: open }",
      "{ id: named, backend: codex }",
      "{ id: other, backend: gemini }",
      "{ id: own, backend: codex, model: mine }",
      "{ id: shell, backend: command, command: ls }",
    ];
    const text = `name: m\npattern: fan-out\nagents: [${agents.join(", ")}]\n`;
    const { definition } = await loadFile(project.machine(), { file: "m.yaml", text });
    expect(definition?.agents.map(({ id, model }) => [id, model])).toEqual([
      ["open", "general"],
      ["named", "special"],
      ["other", undefined],
      ["own", "mine"],
      ["shell", undefined],
    ]);
  });
});

test("agents wait for those that they have spawned as long as is configured, and are told how long that is [COL-3, COL-8]", async () => {
  const flow =
    "name: one\npattern: dag\nagents: [{ id: lead, spawns: true }]\nsteps: [{ id: s, agent: lead, prompt: go }]\n";
  const script = `version: 1
agents:
  lead:
    - do:
        - call: { tool: spawn_agent, arguments: { name: child, prompt: go } }
        - call: { tool: wait }
        - call: { tool: wait, arguments: { timeout_seconds: 600 } }
      say: "DONE: over"
  child: [{ say: done }]
`;
  const project = createConfigProject({
    user: "collab: { maxWaitTimeout: 9m }\n",
    project: "collab: { defaultWaitTimeout: 3m }\n",
  });
  const { events } = await run(project, flow, { script });
  const told = events.flatMap((event) =>
    event.type === "tool-returned" && event.result.includes("effective_timeout_seconds")
      ? [event.result]
      : [],
  );
  expect(told).toEqual([
    expect.stringContaining('"effective_timeout_seconds":180'),
    expect.stringContaining('"effective_timeout_seconds":540'),
  ]);
});
