import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { startTroupe } from "../e2e/troupe-process.ts";
import { createVictim, type Victim } from "./victim.ts";

const TOKEN = "tok-1234567890abcdef";
const PASSWORD = "pa55word99";
const ENV = `{ MY_TOKEN: ${TOKEN}, DATABASE_URL: "postgres://u:${PASSWORD}@h/db", PLAIN: plain-value }`;
// Backwards: what is printed as it is would be masked.
const SHOW = `printf '%s\\n' "$MY_TOKEN" "$DATABASE_URL" "$PLAIN" | rev`;
const SHOWN = [TOKEN, `postgres://u:${PASSWORD}@h/db`, "plain-value"].map(backwards).join("\n");

const PATTERN = `name: graph
pattern: dag
agents:
  - { id: one, backend: command, env: ${ENV}, command: ${JSON.stringify(`test -e wait && sleep 60; ${SHOW}; echo $MY_TOKEN`)} }
steps: [ { id: s, agent: one, prompt: go } ]
`;
const STEPS = `id: flow
agents:
  - { id: one, backend: command, env: ${ENV}, command: ${JSON.stringify(SHOW)} }
steps:
  - { id: a, type: agent, agent: one, next: b }
  - { id: b, type: shell, env: ${ENV}, command: ${JSON.stringify(SHOW)} }
`;
const KICKOFF = `name: talk
context:
agents:
  one: { backend: command, env: ${ENV}, command: ${JSON.stringify(SHOW)} }
kickoff: "@one go"
`;

function backwards(text: string): string {
  return Array.from(text).reverse().join("");
}

/** Files that hold a secret in any form that a reader would try, beside the workflow files. */
function leaksIn(victim: Victim): readonly string[] {
  const forms = [TOKEN, PASSWORD].flatMap((secret) => [
    secret,
    Buffer.from(secret).toString("base64").slice(0, -4),
    Buffer.from(secret).toString("hex"),
  ]);
  return [victim.home, victim.project].flatMap(filesIn).filter((file) => {
    const bytes = readFileSync(file);
    const content = file.endsWith(".gz") ? gunzipSync(bytes) : bytes;
    return !file.endsWith(".yaml") && forms.some((form) => content.includes(form));
  });
}

function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

function eventText(out: string): string {
  return out.replaceAll("\\n", "\n");
}

test.each([
  ["graph.yaml", PATTERN, "one"],
  ["flow.yaml", STEPS, "two"],
  ["talk.yaml", KICKOFF, "one"],
])(
  "a secret that %s writes into an env reaches its programs, and no file, list, log or export of the run [AGT-11.literals, T11]",
  async (file, text, times) => {
    const victim = createVictim({ [file]: text });
    const run = await victim.troupe("run", file, "go", "--json=all");
    expect(run.exitCode).toBe(0);
    expect(eventText(run.out).split(SHOWN).length - 1).toBeGreaterThanOrEqual(
      times === "two" ? 2 : 1,
    );
    const told = await Promise.all([
      victim.troupe("logs", "@last", "--json=all"),
      victim.troupe("logs", "@last", "--raw", "--agent", "one"),
      victim.troupe("show", "@last", "--json"),
      victim.troupe("export", "@last", "--output", "run.jsonl.gz"),
      victim.troupe("report", "@last"),
    ]);
    for (const { exitCode, out, err } of [run, ...told]) {
      expect([exitCode, err]).toEqual([0, expect.any(String)]);
      for (const secret of [TOKEN, PASSWORD]) expect(out + err).not.toContain(secret);
    }
    expect(leaksIn(victim)).toEqual([]);
    // The test can see what it looks for.
    writeFileSync(join(victim.project, "leak.txt"), TOKEN);
    expect(leaksIn(victim)).toHaveLength(1);
  },
);

/** A run whose owner was killed while its one agent worked; the agent waits no more. */
async function killedRun(victim: Victim): Promise<string> {
  const first = victim.start("run", "graph.yaml", "go", "--json=all");
  await first.seen(/"type":"turn-started"/);
  first.kill("SIGKILL");
  const { out } = await first.ended;
  rmSync(join(victim.project, "wait"));
  return String(JSON.parse(out.split("\n")[0] ?? "").run);
}

test("after kill -9 a run goes on with its sealed secrets, whatever became of its file [AGT-11.literals, T11]", async () => {
  const victim = createVictim({ "graph.yaml": PATTERN, wait: "" });
  const run = await killedRun(victim);
  rmSync(join(victim.project, "graph.yaml"));
  const resumed = await victim.troupe("resume", run, "--json=all");
  expect([resumed.exitCode, resumed.err]).toEqual([0, ""]);
  expect(eventText(resumed.out)).toContain(SHOWN);
  expect(leaksIn(victim)).toEqual([]);
});

test("a run whose secrets are sealed with another key starts nothing and says so [AGT-11.literals, T11]", async () => {
  const victim = createVictim({ "graph.yaml": PATTERN, wait: "" });
  const run = await killedRun(victim);
  rmSync(join(victim.env["TROUPE_HOME"] ?? "", "key"));
  await victim.troupe("import", run, "--yes");
  const unreadable = await victim.troupe("resume", run);
  expect(unreadable).toMatchObject({
    exitCode: 2,
    err: expect.stringMatching(/RUN_SECRET_UNREADABLE.*DATABASE_URL/),
  });
  const state = await victim.troupe("show", run, "--json");
  expect(JSON.parse(state.out)).toMatchObject({ run: { outcome: null } });
});

test("a run in the background has its sealed secrets [AGT-11.literals, T11]", async () => {
  const victim = createVictim({ "graph.yaml": PATTERN });
  try {
    const detached = await victim.troupe("run", "graph.yaml", "go", "--detach");
    expect([detached.exitCode, detached.err]).toEqual([0, expect.any(String)]);
    const followed = await victim.troupe("logs", "@last", "--follow", "--json=all");
    expect(eventText(followed.out)).toContain(SHOWN);
    expect(leaksIn(victim)).toEqual([]);
  } finally {
    await victim.troupe("daemon", "stop");
  }
});

test("a token of a run is no key to its secret: a file that holds it has a text, and whoever takes in a run with it is told [AGT-11.literals, T11]", async () => {
  const victim = createVictim({ "graph.yaml": PATTERN });
  const run = await victim.troupe("run", "graph.yaml", "go", "--json=all");
  const [token = ""] = /troupe-sealed-[\w-]+/.exec(
    /"MY_TOKEN":"[^"]+"/.exec(run.out)?.[0] ?? "",
  ) ?? [""];
  expect(token).not.toBe("");
  for (const [name, format] of [
    ["a.yaml", (value: string) => value],
    ["b.yaml", (value: string) => `x${value}x`],
  ] as const) {
    const env = `{ MY_TOKEN: "${format(token)}" }`;
    writeFileSync(join(victim.project, name), PATTERN.replace(ENV, env));
    const tried = await victim.troupe("run", name, "go", "--json=all");
    expect(tried.exitCode).toBe(0);
    expect(tried.out).not.toContain(backwards(TOKEN));
    expect(tried.out).toContain(backwards(format(token)));
  }
  const id = String(JSON.parse(run.out.split("\n")[0] ?? "").run);
  const elsewhere = join(victim.home, "elsewhere");
  mkdirSync(join(elsewhere, ".troupe"), { recursive: true, mode: 0o700 });
  const file = join(elsewhere, "run.gz");
  expect((await victim.troupe("export", id, "--output", file)).exitCode).toBe(0);
  const there = (...args: readonly string[]) => startTroupe(elsewhere, args, victim.env).ended;
  expect((await there("import", file)).exitCode).toBe(0);
  const asked = await there("import", id);
  expect(asked.out).toMatch(
    /gets what you have sealed in another run of yours\n {4}DATABASE_URL\n {4}MY_TOKEN\n/,
  );
});

test("what is called env elsewhere in a file is data, and stays as it is [AGT-11.literals]", async () => {
  const victim = createVictim({
    "flow.yaml": `id: flow
initial_context: { env: { MY_TOKEN: not-a-secret-1 }, plan: { env: { API_KEY: not-a-secret-2 } } }
steps:
  - { id: a, type: transform, transform: context.env.MY_TOKEN, next: b }
  - { id: b, type: transform, transform: context.plan.env.API_KEY }
`,
  });
  const { exitCode, out } = await victim.troupe("run", "flow.yaml", "go", "--json=all");
  expect(exitCode).toBe(0);
  expect(out).not.toContain("troupe-sealed-");
});
