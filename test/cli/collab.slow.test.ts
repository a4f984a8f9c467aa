import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";

const spawn = (name: string, more: object = {}) => ({
  call: { tool: "spawn_agent", arguments: { name, prompt: `Look at ${name}`, ...more } },
});
const closing = (id: string) => ({ call: { tool: "close_agent", arguments: { id } } });
const WAIT = { call: { tool: "wait" } };

function project(agents: object, config = "") {
  return createProject({
    "played.yaml": JSON.stringify({ version: 1, agents }),
    ".troupe/config.yaml": config,
  });
}

/** Runs `collab` with what its agents say; the events of its run, by type. */
async function collab(cwd: string, ...options: readonly string[]) {
  const line = ["collab", "What is here?", "--cassette", "played.yaml", "--trust", ...options];
  const { exitCode, err } = await call(cwd, [...line, "-q"]);
  const { out } = await call(cwd, ["logs", "@last", "--json=all"]);
  const events: readonly { readonly type: string; readonly [key: string]: unknown }[] = out
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text));
  const all = (type: string) => events.filter((event) => event.type === type);
  return { exitCode, err, all };
}

const ROLES = `roles:
  orchestrator: { backend: script, model: strong, instructions: Lead well., permissionMode: plan }
  scout: { backend: script, model: small, instructions: Look., permissionMode: bypass }
  worker: { model: usual }
`;

test("troupe collab leads by the role orchestrator, and those that it spawns are what their roles say [COL-5, COL-7, COL-17]", async () => {
  const cwd = project(
    {
      orchestrator: [
        {
          expect: "Roles that your agents may have: default, worker, scout.",
          do: [spawn("code", { role: "scout" }), spawn("docs"), WAIT],
          say: "DONE: all of it",
        },
      ],
      code: [{ say: "3 files" }],
      docs: [{ say: "2 pages" }],
    },
    ROLES,
  );
  const { exitCode, all } = await collab(cwd);
  expect(exitCode).toBe(0);
  expect(all("agent-spawned")).toMatchObject([
    {
      agent: "orchestrator",
      backend: "script",
      spec: {
        ...{ model: "strong", permissionMode: "plan", spawns: true },
        settings: { systemPrompt: "Lead well." },
      },
    },
    {
      agent: "code",
      spec: { model: "small", permissionMode: "plan", settings: { systemPrompt: "Look." } },
    },
    { agent: "docs", spec: { model: "usual", spawnedBy: "orchestrator" } },
  ]);
  expect(all("run-ended")).toMatchObject([
    {
      outcome: "completed",
      result: {
        output: "all of it",
        metadata: { spawned: [{ agent: "code" }, { agent: "docs" }] },
      },
    },
  ]);
  const cost = await call(cwd, ["cost", "@last", "--json"]);
  expect(cost.out).toContain('"code"');
});

test("--agent names a role or a backend, and --agents the roles that it is told of [COL-7, COL-17]", async () => {
  const cwd = project(
    {
      orchestrator: [{ expect: "Roles that your agents may have: scout.", say: "DONE: ok" }],
    },
    ROLES,
  );
  const led = await collab(cwd, "--agent", "scout", "--agents", "scout");
  expect(led.all("agent-spawned")).toMatchObject([{ spec: { model: "small" } }]);
  const other = await collab(cwd, "--agent", "script", "--agents", "scout", "--model", "mine");
  expect(other.all("agent-spawned")).toMatchObject([{ spec: { model: "mine" } }]);
  const neither = await collab(cwd, "--agent", "scuot");
  expect([neither.exitCode, neither.err]).toEqual([
    2,
    expect.stringMatching(/BACKEND_UNKNOWN[\s\S]*did you mean "scout"/),
  ]);
  const unknown = await collab(cwd, "--agents", "scut");
  expect([unknown.exitCode, unknown.err]).toEqual([
    2,
    expect.stringMatching(/no role "scut"[\s\S]*did you mean "scout"/),
  ]);
});

test("limits count those that live: closing makes room, and no end of an agent leaves its place taken [COL-5]", async () => {
  const rounds = Array.from({ length: 6 }, (_, index) => `one-${index}`);
  const cwd = project(
    {
      orchestrator: [
        {
          do: rounds.flatMap((name) => [spawn(name), spawn("more"), WAIT, closing(name)]),
          say: "DONE: six times",
        },
      ],
      ...Object.fromEntries(rounds.map((name) => [name, [{ say: "ok" }]])),
      more: [{ say: "never" }],
    },
    "limits: { maxAgents: 2 }\n",
  );
  const { exitCode, all } = await collab(cwd);
  expect(exitCode).toBe(0);
  expect(all("agent-spawned").map(({ agent }) => agent)).toEqual(["orchestrator", ...rounds]);
  const refused = all("collab-ended").filter(({ error }) => error !== undefined);
  expect(refused).toHaveLength(6);
  for (const { error } of refused) expect(error).toMatchObject({ code: "AGENT_LIMIT_RUNNING" });
});

test("a command leads too, and a budget ends it with the exit code of limits [COL-7, LIM-1.turns]", async () => {
  const cwd = createProject();
  const led = await call(cwd, [
    ...["collab", "count", "--agent", "command", "-q", "--"],
    ...["sh", "-c", 'echo "DONE: 12 lines"'],
  ]);
  expect([led.exitCode, led.out]).toEqual([0, "12 lines\n"]);
  const bounded = project({
    orchestrator: [{ do: [spawn("one"), WAIT], say: "DONE: ok" }],
    one: [{ say: "ok" }],
  });
  const { exitCode, all } = await collab(bounded, "--max-turns", "1");
  expect(exitCode).not.toBe(0);
  expect(all("run-ended")).toMatchObject([{ outcome: "limit-reached" }]);
});
