import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject, stable } from "./fake-io.ts";

const PIPELINE = `version: "1.0"
name: writing
pattern: pipeline
agents: [{ id: writer, backend: script }]
steps:
  - { id: draft, agent: writer, prompt: "{{task}}" }
  - { id: polish, agent: writer, prompt: "polish {{steps.draft.output}}" }
  - { id: check, agent: writer, prompt: "check {{steps.polish.output}}" }
`;

const CASSETTE = `version: 1
agents:
  writer:
    - { do: [{ usage: { costUsd: 1, inputTokens: 1000 } }], say: "DONE: drafted" }
    - { do: [{ usage: { costUsd: 1, inputTokens: 1000 } }], say: "DONE: polished" }
    - { do: [{ usage: { costUsd: 1, inputTokens: 1000 } }], say: "DONE: checked" }
`;

const PLAY = ["--cassette", "cassette.yaml"];

function project(workflow = PIPELINE): string {
  return createProject({ "writing.yaml": workflow, "cassette.yaml": CASSETTE });
}

test("a run stops at its limit with exit code 5, and resume goes on with more [LIM-1.turns, CLI-1]", async () => {
  const cwd = project();
  const run = await call(cwd, ["run", "writing.yaml", "x", ...PLAY, "--max-cost", "2"]);
  expect({ exitCode: run.exitCode, err: run.err }).toEqual({ exitCode: 5, err: "" });
  expect(stable(run.out).split("\n").slice(-8)).toEqual([
    "00:00:00 writer   → DONE: polished",
    "00:00:00 run      ▲ budget: $2.00 of $2.00 used",
    "00:00:00 polish   ✔ completed in 0ms · polished",
    "00:00:00 check    ● started (writer)",
    "00:00:00 run      ▲ limit of $2.00 reached; nothing new starts",
    '00:00:00 run      ✖ limit-reached: stopped at $2.00 (max_cost) in step "check", turn 3 — nothing lost [LIMIT_COST] · 0ms · 1 agent · 2 messages · $2.00 of $2.00',
    "00:00:00 run      continue with more: troupe resume run_ID --max-cost 4",
    "",
  ]);
  const again = await call(cwd, ["resume", "@last", "--max-cost", "4"]);
  expect(again.exitCode).toBe(0);
  expect(stable(again.out)).toContain("✔ done in 0ms · 1 agent · 3 messages · $3.00 of $4.00");
  const shown = await call(cwd, ["show", "@last", "--json"]);
  expect(JSON.parse(shown.out)).toMatchObject({
    run: { state: "completed", costUsd: 3, budget: { cost: { limit: 4, spent: 3, reserved: 0 } } },
  });
});

test("the runs of a day stop at what a day may cost, and go on with more [LIM-day]", async () => {
  const cwd = project();
  const config = join(cwd, ".troupe/config.yaml");
  mkdirSync(join(cwd, ".troupe"), { recursive: true });
  writeFileSync(config, "budget: { perDay: 4 }\n");
  expect((await call(cwd, ["run", "writing.yaml", "x", ...PLAY])).exitCode).toBe(0);
  const second = await call(cwd, ["run", "writing.yaml", "x", ...PLAY]);
  expect({ exitCode: second.exitCode, err: second.err }).toEqual({ exitCode: 5, err: "" });
  expect(stable(second.out).split("\n").slice(-4)).toEqual([
    "00:00:00 polish   ● started (writer)",
    "00:00:00 run      ✖ limit-reached: stopped: the runs of this project have cost $4.00 today, of $4.00 (budget.perDay) — nothing lost [LIMIT_DAY] · 0ms · 1 agent · 1 message · $1.00",
    "00:00:00 run      it goes on tomorrow, or with more in budget.perDay of the configuration of the project: troupe resume run_ID",
    "",
  ]);
  // Nothing of it is in this process: the journals say what the day has cost.
  const again = await call(cwd, ["resume", "@last", "--json"]);
  expect(again.exitCode).toBe(5);
  expect(lastEvent(again.out)).toMatchObject({ resumable: true, error: { code: "LIMIT_DAY" } });
  writeFileSync(config, "budget: { perDay: 100 }\n");
  expect((await call(cwd, ["resume", "@last"])).exitCode).toBe(0);
  const [run] = JSON.parse((await call(cwd, ["runs", "--json"])).out).runs;
  expect(run).toMatchObject({ state: "completed", costUsd: 3 });
});

test("what is printed alone is told to be not all, with the error and its way out [LIM-1.turns, CLI-1]", async () => {
  const cwd = project();
  const { exitCode, out, err } = await call(cwd, [
    ...["run", "writing.yaml", "x", ...PLAY, "--quiet", "--max-turns", "1"],
  ]);
  expect({ exitCode, out }).toEqual({ exitCode: 5, out: "" });
  expect(stable(err)).toBe(
    'error[LIMIT_TURNS]: stopped at 1 turn (max_turns) in step "polish", turn 2 — nothing lost\n' +
      "  = continue with more: troupe resume run_ID --max-turns 2\n",
  );
});

test("limits of the file hold, and those of the command line beat them one by one [LIM-1.turns, WF-10.budget]", async () => {
  const cwd = project(`${PIPELINE}budget: { cost: 1, turns: 2 }\n`);
  const byFile = await call(cwd, ["run", "writing.yaml", "x", ...PLAY, "--json"]);
  expect(byFile.exitCode).toBe(5);
  expect(lastEvent(byFile.out)).toMatchObject({ error: { code: "LIMIT_COST" } });
  const beaten = await call(cwd, [
    ...["run", "writing.yaml", "x", ...PLAY, "--json", "--max-cost", "10"],
  ]);
  expect(lastEvent(beaten.out)).toMatchObject({ error: { code: "LIMIT_TURNS" } });
});

test("a step that has used up its own budget is not tried again, and the run has failed [LIM-1.turns, WF-10.budget, ENG-11]", async () => {
  const step = "id: draft, maxAttempts: 5, budget: { tokens: 500 },";
  const cwd = project(PIPELINE.replace("id: draft,", step));
  const broken = CASSETTE.replace('say: "DONE: drafted"', "fail: { code: BUSY, retryable: true }");
  writeFileSync(join(cwd, "cassette.yaml"), broken);
  const { exitCode, out } = await call(cwd, ["run", "writing.yaml", "x", ...PLAY]);
  expect(exitCode).toBe(1);
  expect(stable(out)).toContain(
    '✖ failed after 2 attempts: step "draft" has reached its limit of 500 tokens [LIMIT_TOKENS]',
  );
});

test.each([
  { given: ["--max-cost", "0"], problem: "--max-cost must be an amount above 0" },
  { given: ["--max-cost", "-1"], problem: "--max-cost must be an amount above 0" },
  { given: ["--max-cost", "NaN"], problem: "--max-cost must be an amount above 0" },
  { given: ["--max-cost", "1e99"], problem: "--max-cost must be an amount above 0" },
  { given: ["--max-tokens", "1.5"], problem: "--max-tokens must be a whole number" },
  { given: ["--max-turns", "many"], problem: "--max-turns must be a whole number" },
  { given: ["--max-messages", "0"], problem: "--max-messages must be a whole number" },
  { given: ["--max-agents", ""], problem: "--max-agents must be a whole number" },
  { given: ["--max-time", "0s"], problem: "--max-time must be longer than nothing" },
  { given: ["--max-time", "soon"], problem: "error[DURATION_INVALID]" },
])(
  "the limit $given is refused with exit code 2, by run and resume alike [LIM-1.turns, CLI-1]",
  async ({ given, problem }) => {
    const cwd = project();
    const run = await call(cwd, ["run", "writing.yaml", "x", ...PLAY, ...given]);
    expect({ exitCode: run.exitCode, out: run.out }).toEqual({ exitCode: 2, out: "" });
    expect(run.err).toContain(problem);
    const resume = await call(cwd, ["resume", "run_abcdef", ...given]);
    expect(resume.exitCode).toBe(2);
    expect(resume.err).toContain(problem);
  },
);

function lastEvent(out: string): unknown {
  return JSON.parse(out.trimEnd().split("\n").at(-1) ?? "null");
}
