import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject, stable } from "./fake-io.ts";

const WORKFLOW = `version: "1.0"
name: team
pattern: pipeline
agents:
  - { id: planner, backend: script, model: gpt-5 }
  - { id: coder, backend: script, model: "lab/own" }
  - { id: judge, backend: script }
  - { id: check, backend: command, command: ["true"] }
steps:
  - { id: plan, agent: planner, prompt: "{{task}}" }
  - { id: code, agent: coder, prompt: go }
  - { id: judge, agent: judge, prompt: go }
  - { id: check, agent: check }
`;

const CASSETTE = `version: 1
agents:
  planner: [{ do: [{ usage: { inputTokens: 100000, cachedTokens: 60000, outputTokens: 1000 } }], say: "DONE: ok" }]
  coder: [{ do: [{ usage: { inputTokens: 2000, outputTokens: 500 } }], say: "DONE: ok" }]
  judge: [{ do: [{ usage: { costUsd: 0.5 } }], say: "DONE: ok" }]
`;

const LAB = 'version: 1\\nprices: { "lab/own": { inputPerMTok: 10, outputPerMTok: 20 } }\\n';

async function ran(files: Record<string, string> = {}): Promise<string> {
  const cwd = createProject({ "team.yaml": WORKFLOW, "c.yaml": CASSETTE, ...files });
  const run = await call(cwd, ["run", "team.yaml", "x", "--cassette", "c.yaml", "--max-cost", "5"]);
  expect(run).toMatchObject({ exitCode: 0, err: "" });
  return cwd;
}

test("cost tells what was reported, what is estimated from list prices and what nobody knows [AGT-15, LIM-1.turns, CLI-1]", async () => {
  const cwd = await ran();
  const { exitCode, out, err } = await call(cwd, ["cost", "@last"]);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  expect(out.split("\n")).toEqual([
    "AGENT    TURNS  INPUT   CACHED  OUTPUT  COST",
    "planner  1      100.0k  60.0k   1.0k    ~$0.07",
    "coder    1      2.0k            500     unknown",
    "judge    1                              $0.50",
    "check    1",
    "total    4      102.0k  60.0k   1.5k    ~$0.57+",
    "~ $0.07 of it is an estimate from tokens and prices",
    "+ the cost of 1 turn is not known (script lab/own): set prices in the configuration",
    "left: $4.43 of $5.00",
    "",
  ]);
  expect(stable((await call(cwd, ["runs"])).out)).toMatch(/ ~\$0\.57\+ /);
  expect((await call(cwd, ["show", "@last"])).out).toMatch(/\$0\.57 of \$5\.00/);
});

test("the configuration's prices win, and one JSON object has all sums [AGT-15, CLI-1]", async () => {
  const cwd = await ran({ ".troupe/config.yaml": LAB.replaceAll("\\n", "\n") });
  const { out } = await call(cwd, ["cost", "--by", "model", "--json"]);
  const sums = (costUsd: number | null, estimatedUsd: number) =>
    expect.objectContaining({ turns: 1, costUsd, estimatedUsd, unpricedTurns: 0 });
  expect(JSON.parse(out)).toEqual({
    v: 1,
    by: "model",
    since: null,
    rows: [
      { ...JSON.parse(out).rows[0], name: "gpt-5" },
      expect.objectContaining({ name: "lab/own", costUsd: 0.03, estimatedUsd: 0.03 }),
      expect.objectContaining({ name: null, turns: 2, costUsd: 0.5, inputTokens: null }),
    ],
    total: {
      ...{ turns: 4, inputTokens: 102_000, outputTokens: 1500, cachedTokens: 60_000 },
      ...{ costUsd: expect.closeTo(0.5975), estimatedUsd: expect.closeTo(0.0975) },
      unpricedTurns: 0,
    },
    runs: [
      {
        ...{ id: expect.stringMatching(/^run_/), workflow: "team", instance: "default" },
        reserved: { turns: 0, costUsd: 0, tokens: 0 },
        budget: { cost: { limit: 5, spent: expect.closeTo(0.5975), reserved: 0 } },
      },
    ],
  });
  expect(JSON.parse(out).rows[0]).toEqual(sums(expect.closeTo(0.0675), expect.closeTo(0.0675)));
});

test("cost sums up all runs of a project, a span of time or one agent [AGT-15, CLI-1]", async () => {
  const cwd = await ran();
  await call(cwd, ["run", "team.yaml", "x", "--cassette", "c.yaml"]);
  const all = (await call(cwd, ["cost"])).out.trimEnd().split("\n");
  expect(stable(all[0] ?? "")).toMatch(/^RUN +WORKFLOW +TURNS +INPUT +CACHED +OUTPUT +COST$/);
  expect(all.filter((line) => line.includes("team@default"))).toHaveLength(2);
  expect(all.find((line) => line.startsWith("total"))).toMatch(/^total +8 .* ~\$1\.1\d\+$/);
  const today = (await call(cwd, ["cost", "--by", "day", "--since", "1h"])).out.split("\n");
  expect(today[1]).toMatch(/^\d{4}-\d{2}-\d{2} +8 /);
  const judge = (await call(cwd, ["cost", "judge", "--by", "step"])).out.split("\n");
  expect(judge.slice(1, 3).map((line) => line.replaceAll(/ +/g, " "))).toEqual([
    "judge 1 $0.50",
    "total 1 $0.50",
  ]);
});

test("cost of nothing says so, and what it cannot sum up is told [CLI-1]", async () => {
  const cwd = createProject();
  expect(await call(cwd, ["cost"])).toEqual({
    exitCode: 0,
    out: "no turn has ended yet\n",
    err: "",
  });
  for (const args of [["--by", "color"], ["nope"], ["--since", "x"], ["@last", "--all-projects"]])
    expect((await call(cwd, ["cost", ...args])).exitCode).toBe(2);
});

test("a plan takes the cost of earlier runs at today's prices, and none from a run of which a part is unknown [AGT-15, LIM-2]", async () => {
  const cwd = await ran();
  const unknown = await call(cwd, ["plan", "team.yaml", "x"]);
  expect(unknown.out).toContain("  cost    unknown");
  mkdirSync(join(cwd, ".troupe"), { recursive: true });
  writeFileSync(join(cwd, ".troupe/config.yaml"), LAB.replaceAll("\\n", "\n"));
  const { out } = await call(cwd, ["plan", "team.yaml", "x"]);
  expect(out).toContain("  cost    ~$0.60 (median of 1 ended run of this workflow");
});
