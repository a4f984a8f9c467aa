import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProcessTable } from "../../src/host/process-table.ts";
import { createProject, startTroupe, troupe } from "./troupe-process.ts";
import { GATED, PAUSING } from "./workflows.ts";

const STARTED = /gate +● started/;
const TEAM = `name: team
context: null
agents: { helper: { backend: script, script: [ { say: ready } ] } }
`;

test("of 20 processes that resume one run at once, one owns it and 19 are told so [ENG-4, P5, CLI-1]", async () => {
  const cwd = createProject({ "gated.yaml": GATED });
  const run = startTroupe(cwd, ["run", "gated.yaml"]);
  await run.seen(STARTED);
  run.kill("SIGINT");
  await run.ended;
  const all = Array.from({ length: 20 }, () => startTroupe(cwd, ["resume", "@last"]));
  const losers = new Set<number>();
  const settled = all.map(async (one) => {
    const ended = await one.ended;
    if (ended.exitCode === 6) losers.add(one.pid);
    // The one owner goes on until nobody else tries any more.
    if (losers.size === 19) writeFileSync(join(cwd, "go"), "");
    return ended;
  });
  const ended = await Promise.all(settled);
  expect(ended.filter(({ exitCode }) => exitCode === 0)).toHaveLength(1);
  const refused = ended.filter(({ exitCode }) => exitCode === 6);
  expect(refused).toHaveLength(19);
  for (const { err } of refused) expect(err).toContain("error[ENGINE_RUN_OWNED]");
  expect(readFileSync(join(cwd, "runs.txt"), "utf8")).toBe("ran\n");
});

test("pause and cancel reach a run from another process [ENG-13, ENG-6]", async () => {
  const cwd = createProject({ "gated.yaml": GATED });
  const run = startTroupe(cwd, ["run", "gated.yaml"]);
  await run.seen(STARTED);
  expect((await troupe(cwd, ["pause", "@last"])).out).toContain("is being paused");
  const paused = await run.ended;
  expect(paused.exitCode).toBe(3);
  expect(paused.out).toMatch(/⏸ paused: troupe resume run_\w{6}\n$/);
  const resumed = startTroupe(cwd, ["resume", "@last"]);
  await resumed.seen(/resumed/);
  expect((await troupe(cwd, ["cancel", "@last", "-m", "enough"])).exitCode).toBe(0);
  const cancelled = await resumed.ended;
  expect(cancelled.exitCode).toBe(1);
  expect(cancelled.out).toContain("✖ cancelled: enough");
  expect((await troupe(cwd, ["resume", "@last"])).exitCode).toBe(1);
});

test("a run whose process was killed is cancelled at once, with what it left running [USE-2, ENG-6]", async () => {
  const cwd = createProject({ "gated.yaml": GATED });
  const run = startTroupe(cwd, ["run", "gated.yaml"]);
  await run.seen(STARTED);
  await expect.poll(() => existsSync(join(cwd, "gate.pid"))).toBe(true);
  const gate = Number(readFileSync(join(cwd, "gate.pid"), "utf8"));
  process.kill(run.pid, "SIGKILL");
  await run.ended;
  const cancelled = await troupe(cwd, ["cancel", "@last", "-m", "enough"]);
  expect(cancelled).toMatchObject({ exitCode: 0, err: "" });
  expect(cancelled.out).toMatch(
    /^run_\w{6} is cancelled; nobody ran it\. Cut off, with nothing cleaned up: gate\n$/,
  );
  // A zombie waits for whoever became its parent, and does nothing.
  expect(createProcessTable().find(gate)?.isDead ?? true).toBe(true);
  const shown = await troupe(cwd, ["show", "@last", "--json"]);
  expect(JSON.parse(shown.out).run).toMatchObject({ state: "cancelled" });
  expect((await troupe(cwd, ["show", "@last"])).out).toMatch(/gate .*cancelled/);
  // It is over: nobody takes it up, and nobody ends it twice.
  const resumed = await troupe(cwd, ["resume", "@last"]);
  expect([resumed.exitCode, resumed.out]).toEqual([1, expect.stringContaining("enough")]);
  expect((await troupe(cwd, ["cancel", "@last"])).err).toContain("error[ENGINE_RUN_OVER]");
  expect(readFileSync(join(cwd, "runs.txt"), "utf8")).toBe("ran\n");
});

test("a run whose process is gone is called suspended wherever it is told of, and its steps too [CLI-1]", async () => {
  const cwd = createProject({ "gated.yaml": GATED });
  const run = startTroupe(cwd, ["run", "gated.yaml"]);
  await run.seen(STARTED);
  expect((await troupe(cwd, ["show", "@last"])).out).toMatch(
    /● gate .* running[\s\S]*\n● running \d/u,
  );
  process.kill(run.pid, "SIGKILL");
  await run.ended;
  for (const args of [["runs"], ["show"], ["show", "--step", "gate"], ["list"], ["away"]]) {
    const { out } = await troupe(cwd, args);
    expect([args, out]).toEqual([args, expect.stringContaining("suspended")]);
    expect([args, out]).toEqual([args, expect.not.stringContaining("running")]);
  }
  const graph = JSON.parse((await troupe(cwd, ["graph", "@last", "--format", "json"])).out);
  expect(graph.run.state).toBe("suspended");
  expect((await troupe(cwd, ["show"])).out).toMatch(
    /⏸ gate +suspended[\s\S]*last output\n +counted\n⏸ suspended after/u,
  );
});

test("a run that waits for a person leaves the inbox when it is stopped [USE-2]", async () => {
  const cwd = createProject({ "pausing.yaml": PAUSING });
  expect((await troupe(cwd, ["run", "pausing.yaml"])).exitCode).toBe(3);
  expect((await troupe(cwd, ["stop", "@default"])).out).toMatch(/ stopped\n$/);
  expect((await troupe(cwd, ["inbox"])).out).toBe("nothing needs you\n");
  const { out } = await troupe(cwd, ["runs", "--json"]);
  expect(JSON.parse(out).runs).toMatchObject([{ state: "cancelled", needs: 0 }]);
});

test("a team that nobody carries out is completed when it is stopped [USE-2, KCK-4]", async () => {
  const cwd = createProject({ "team.yaml": TEAM });
  const team = startTroupe(cwd, ["start", "team.yaml"]);
  await team.seen(/joined/);
  process.kill(team.pid, "SIGKILL");
  await team.ended;
  expect((await troupe(cwd, ["stop", "@default"])).out).toMatch(/ stopped\n$/);
  const { out } = await troupe(cwd, ["runs", "--json"]);
  expect(JSON.parse(out).runs).toMatchObject([{ state: "completed" }]);
});

test("a run without a terminal waits with exit code 3; approve records, resume goes on [ENG-19, P14, CLI-1]", async () => {
  const cwd = createProject({ "pausing.yaml": PAUSING });
  const waiting = await troupe(cwd, ["run", "pausing.yaml"]);
  expect(waiting.exitCode).toBe(3);
  const [, id = ""] = /troupe approve (apr_\w{6})/.exec(waiting.out) ?? [];
  const inbox = await troupe(cwd, ["inbox"]);
  expect(inbox.out).toContain(id);
  writeFileSync(join(cwd, "ready"), "");
  const approved = await troupe(cwd, ["approve", id, "-m", "it is ready now"]);
  expect(approved.exitCode).toBe(0);
  expect(approved.out).toMatch(/^recorded; nobody runs it: troupe resume run_\w{6}\n$/);
  const resumed = await troupe(cwd, ["resume", "@last"]);
  expect(resumed.exitCode).toBe(0);
  expect(resumed.out).toContain("✔ completed");
});

test("logs -f in another process sees the whole run and ends with it [CLI-1]", async () => {
  const cwd = createProject({ "gated.yaml": GATED });
  const run = startTroupe(cwd, ["run", "gated.yaml"]);
  await run.seen(STARTED);
  const logs = startTroupe(cwd, ["logs", "-f", "@last", "--json"]);
  await logs.seen(/"step":"gate"/);
  writeFileSync(join(cwd, "go"), "");
  expect((await run.ended).exitCode).toBe(0);
  const followed = await logs.ended;
  expect(followed.exitCode).toBe(0);
  const lines = followed.out.trimEnd().split("\n");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ type: "run-created" });
  expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ type: "run-ended", outcome: "completed" });
});

test("a project that cannot be written is told before anything starts [CLI-1]", async () => {
  const cwd = createProject({ "gated.yaml": GATED });
  // Also for root, who may write into any directory: the runs' place is taken by a file.
  writeFileSync(join(cwd, ".troupe/runs"), "");
  const { exitCode, out, err } = await troupe(cwd, ["run", "gated.yaml"]);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toContain("error[RUN_DIRECTORY_UNWRITABLE]");
});
