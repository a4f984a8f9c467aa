import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject, stable } from "./fake-io.ts";

const CHAIN = `version: "1.0"
name: chain
pattern: dag
params:
  target: { type: string, default: src }
agents:
  - { id: sh, backend: command, command: ["sh", "-c", 'read -r word; echo "$TROUPE_STEP" >> done.txt; echo "did $word"; test ! -e "fail-$TROUPE_STEP"'] }
steps:
  - { id: a, agent: sh, prompt: "start" }
  - { id: b, agent: sh, prompt: "{{steps.a.output}}", dependsOn: [a] }
  - { id: c, agent: sh, prompt: "{{steps.b.output}} in {{params.target}}", dependsOn: [b] }
`;

/** A project with a run whose last step has failed, and its id. */
async function failedRun(): Promise<{ readonly cwd: string; readonly run: string }> {
  const cwd = createProject({ "chain.yaml": CHAIN, "fail-c": "" });
  expect((await call(cwd, ["run", "chain.yaml"])).exitCode).toBe(1);
  rmSync(join(cwd, "fail-c"));
  return { cwd, run: await lastRun(cwd) };
}

async function lastRun(cwd: string): Promise<string> {
  return JSON.parse((await call(cwd, ["runs", "--json"])).out).runs[0].id;
}

function done(cwd: string): string {
  return readFileSync(join(cwd, "done.txt"), "utf8").replaceAll("\n", " ").trim();
}

test("troupe rerun carries out what failed and starts no process for the rest [ENG-15, CLI-1]", async () => {
  const { cwd, run } = await failedRun();
  const explained = await call(cwd, ["rerun", run, "--failed", "--explain"]);
  expect(stable(explained.out)).toBe(
    [
      "a rerun of run_ID would go like this:",
      "  ✔  a  reused             completed in run_ID",
      "  ✔  b  reused             completed in run_ID",
      '  ↻  c  carried out again  failed: the command of agent "sh" exited with 1: did did did start in src',
      "",
    ].join("\n"),
  );
  expect(done(cwd)).toBe("a b c");
  const { exitCode, out } = await call(cwd, ["rerun", run, "--failed"]);
  expect(exitCode).toBe(0);
  expect(stable(out).split("\n").slice(0, 5)).toEqual([
    "run_ID is a rerun of run_ID: may take over 2 steps; what steps did to files then is not done again",
    "00:00:00 run      run_ID chain@default started",
    "00:00:00 sh       ● joined (command)",
    "00:00:00 a        ✔ completed, reused from run_ID · did start",
    "00:00:00 b        ✔ completed, reused from run_ID · did did start",
  ]);
  expect(done(cwd)).toBe("a b c c");
  expect((await call(cwd, ["show", "@last"])).out).toContain(`rerun of ${run}`);
});

test("troupe rerun without a flag carries out every step again [ENG-15, CLI-1]", async () => {
  const { cwd, run } = await failedRun();
  const explained = await call(cwd, ["rerun", run, "--explain", "--json"]);
  const { steps } = JSON.parse(explained.out);
  expect(steps.map(({ plan }: { plan: string }) => plan)).toEqual(["again", "again", "again"]);
  const { exitCode, out } = await call(cwd, ["rerun", run]);
  expect(exitCode).toBe(0);
  expect(stable(out)).toContain("run_ID is a rerun of run_ID: it carries out every step again\n");
  expect(done(cwd)).toBe("a b c a b c");
  expect((await call(cwd, ["rerun"])).exitCode).toBe(0);
  expect(done(cwd)).toBe("a b c a b c a b c");
});

test("troupe rerun takes one answer to which steps [CLI-1]", async () => {
  const { cwd, run } = await failedRun();
  for (const flags of [
    ["--failed", "--only", "a"],
    ["--from", "a", "--only", "a"],
  ]) {
    const { exitCode, err } = await call(cwd, ["rerun", run, ...flags]);
    expect(exitCode).toBe(2);
    expect(err).toContain("--failed, --from STEP or --only STEP");
  }
  const unknown = await call(cwd, ["rerun", run, "--from", "d", "--json"]);
  expect(unknown.exitCode).toBe(2);
  expect(JSON.parse(unknown.err).error.code).toBe("RUN_STEP_UNKNOWN");
  const useless = await call(cwd, ["rerun", run, "--failed", "--explain", "--approve", "all"]);
  expect(useless.exitCode).toBe(2);
  expect(await lastRun(cwd)).toBe(run);
});

test("troupe fork goes on from a step with something else, or is left to resume [ENG-15, CLI-1]", async () => {
  const { cwd, run } = await failedRun();
  const forked = await call(cwd, ["fork", run, "--at", "c", "--set", "params.target=lib"]);
  expect(forked.exitCode).toBe(0);
  expect(stable(forked.out, cwd)).toContain(
    "run_ID is a fork of run_ID after event 20; files in PROJECT stay as they are now\n",
  );
  expect(forked.out).toContain("did did did start in lib");
  const made = await call(cwd, ["fork", run, "--at", "c", "--no-start", "--json"]);
  const document = JSON.parse(made.out);
  expect(document).toEqual({
    v: 1,
    run: expect.stringMatching(/^run_/),
    from: { run, seq: 20 },
  });
  expect(done(cwd)).toBe("a b c c");
  const { runs } = JSON.parse((await call(cwd, ["runs", "--json"])).out);
  expect(runs[0]).toMatchObject({ state: "suspended", forkedFrom: { run, seq: 20 } });
  expect((await call(cwd, ["resume", document.run])).exitCode).toBe(0);
  expect(done(cwd)).toBe("a b c c c");
  expect((await call(cwd, ["show", document.run])).out).toContain(`fork of ${run} after event 20`);
});

test("troupe fork refuses what came too late and what it does not understand [ENG-15, CLI-1]", async () => {
  const { cwd, run } = await failedRun();
  const codeOf = async (...flags: readonly string[]) => {
    const { exitCode, err } = await call(cwd, ["fork", run, ...flags, "--json"]);
    expect(exitCode).toBe(2);
    return JSON.parse(err).error.code;
  };
  expect(await codeOf()).toBe("USAGE_INVALID");
  expect(await codeOf("--at", "c", "--set", "novalue")).toBe("USAGE_INVALID");
  expect(await codeOf("--at", "nope")).toBe("RUN_FORK_POINT_UNKNOWN");
  expect(await codeOf("--at", "c", "--set", "steps.a.output=x")).toBe("ENGINE_FORK_TOO_LATE");
  expect(await codeOf("--at", "c", "--set", "color=red")).toBe("RUN_FORK_CHANGE_INVALID");
  expect(await codeOf("--at", "c", "--backend", "script")).toBe("USAGE_INVALID");
  expect(await lastRun(cwd)).toBe(run);
});

test("troupe diff shows two runs side by side and a step line by line [ENG-15, CLI-1]", async () => {
  const { cwd, run } = await failedRun();
  await call(cwd, ["fork", run, "--at", "c", "--set", "params.target=lib"]);
  const both = await call(cwd, ["diff", run, "@last"]);
  expect(both.exitCode).toBe(0);
  expect(both.out).toMatch(/^result +failed +completed$/m);
  expect(both.out).toMatch(/^step c +✖ failed +✔ completed +prompt changed \(\+1 -1\)$/m);
  expect(both.out).toContain("started with another params.target\n");
  expect(both.out).toContain("first difference: c was asked something else\n");
  const step = await call(cwd, ["diff", run, "@last", "--step", "c"]);
  expect(stable(step.out)).toContain(
    [
      "--- run_ID c prompt",
      "+++ run_ID c prompt",
      "-did did start in src",
      "+did did start in lib",
    ].join("\n"),
  );
  const document = JSON.parse((await call(cwd, ["diff", run, run, "--json"])).out);
  expect(document).toMatchObject({ v: 1, divergence: null });
  expect((await call(cwd, ["diff", run, "run_nope"])).exitCode).toBe(2);
});

test("troupe resume --with-current-file takes a changed file that fits, and refuses another [ENG-14, CLI-1]", async () => {
  const paused = `${CHAIN}errorHandling: { onFailure: pause }\n`;
  const cwd = createProject({ "chain.yaml": paused, "fail-c": "" });
  expect((await call(cwd, ["run", "chain.yaml"])).exitCode).toBe(3);
  const resume = (...flags: readonly string[]) => call(cwd, ["resume", "@last", ...flags]);
  writeFileSync(join(cwd, "chain.yaml"), paused.replace("start", "begin"));
  const refused = await resume("--with-current-file", "--json");
  expect(refused.exitCode).toBe(2);
  expect(JSON.parse(refused.err).error.code).toBe("ENGINE_MIGRATION_MISMATCH");
  writeFileSync(join(cwd, "chain.yaml"), "version: [");
  expect((await resume("--with-current-file")).exitCode).toBe(2);
  const added = '  - { id: d, agent: sh, prompt: "last", dependsOn: [c] }\nerrorHandling';
  writeFileSync(join(cwd, "chain.yaml"), paused.replace("errorHandling", added));
  expect((await resume("--explain")).out).toContain("--with-current-file");
  rmSync(join(cwd, "fail-c"));
  const { exitCode, out } = await resume("--with-current-file");
  expect(exitCode).toBe(0);
  expect(stable(out)).toContain("run_ID: goes on with chain.yaml as it is now\n");
  expect(done(cwd)).toBe("a b c c d");
});

const FLOW = `id: flow
steps:
  - { id: plan, type: shell, command: "echo plan >> done.txt; echo {{input.name}}", next: checks }
  - id: checks
    type: parallel
    steps:
      - { id: style, type: shell, command: "echo style >> done.txt" }
      - { id: tests, type: shell, command: "echo tests >> done.txt; test ! -e fail-tests" }
    next: report
  - { id: report, type: shell, command: "echo planned {{context.plan.stdout}}" }
`;

test("step workflows are rerun step by step, nested ones too, and forked with other data [ENG-15, CLI-1]", async () => {
  const cwd = createProject({ "flow.yaml": FLOW, "fail-tests": "" });
  expect((await call(cwd, ["run", "flow.yaml", "-i", "name=it"])).exitCode).toBe(1);
  rmSync(join(cwd, "fail-tests"));
  const run = await lastRun(cwd);
  expect((await call(cwd, ["rerun", run, "--failed"])).exitCode).toBe(0);
  expect(done(cwd).split(" ").sort()).toEqual(["plan", "style", "tests", "tests"]);
  const changed = ["--set", 'context.plan.stdout="other"'];
  const { exitCode, out } = await call(cwd, ["fork", run, "--at", "checks", ...changed]);
  expect(exitCode).toBe(0);
  expect(out).toContain("planned other");
  const late = await call(cwd, ["fork", run, "--at", "checks/tests", "--set", "input.name=x"]);
  expect(late.err).toContain("ENGINE_FORK_TOO_LATE");
  expect(
    done(cwd)
      .split(" ")
      .filter((step) => step === "plan"),
  ).toHaveLength(1);
});
