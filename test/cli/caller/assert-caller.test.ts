import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadCommands } from "../../../src/cli/registry.ts";
import { call, createProject } from "../fake-io.ts";
import { startWaiting } from "../waiting-run.ts";
import { MORE_PERSONAL_LINES, PERSONAL_ROWS } from "./personal-rows.ts";

const commands = await loadCommands();

const ABOVE = { family: "f1", run: "run_above1" };
const REFUSED = /^error\[USAGE_(?:DECISION|SPEECH|CONTROL)_BY_AGENT\]: troupe \S.* run_above1,/;

/** A project in which a run waits for an approval, started by a person or below a program. */
async function waiting(startedBelow?: string) {
  const cwd = createProject({ "asks.yaml": "" });
  const run = await startWaiting(
    cwd,
    async (context) => ({ ...(await context.approval({ message: "Go on?", step: "ask" })) }),
    startedBelow,
  );
  const { items } = JSON.parse((await call(cwd, ["inbox", "--json"])).out);
  const journal = () => readFileSync(join(cwd, ".troupe/runs", run, "journal.db"));
  return { cwd, run, item: String(items[0].id), journal };
}

const personal = commands.filter(({ authority }) => authority === "person");

test("every command that is a person's is refused below an agent, before it does anything [SEC-3.declared, T15]", async () => {
  const { cwd, run, item, journal } = await waiting();
  const before = journal();
  expect(Object.keys(PERSONAL_ROWS).sort()).toEqual(personal.map(({ name }) => name).sort());
  const lines = [
    ...Object.entries(PERSONAL_ROWS).map(([name, row]) => [name, ...row({ run, item })]),
    ...MORE_PERSONAL_LINES.map((line) => line({ run, item })),
  ];
  const home = join(cwd, "home");
  for (const line of lines) {
    const env = { TROUPE_HOME: home };
    const { exitCode, out, err } = await call(cwd, line, { above: ABOVE, env });
    expect([line, exitCode, out, err]).toEqual([line, 2, "", expect.stringMatching(REFUSED)]);
  }
  expect(journal().equals(before)).toBe(true);
  expect(existsSync(home)).toBe(false);
});

test.each([
  ["run asks.yaml --trust", "troupe run --trust"],
  ["doctor --at-login", "troupe doctor --at-login"],
  ["run asks.yaml --approve all", "troupe run --approve all"],
  ["run asks.yaml --approve none", "troupe run --approve none"],
  ["run asks.yaml --unsandboxed", "troupe run --unsandboxed"],
  ["run asks.yaml --detach", "troupe run --detach"],
  ["run asks.yaml --max-cost 5", "troupe run --max-cost 5"],
  ["run asks.yaml --max-tokens 5", "troupe run --max-tokens 5"],
  ["run asks.yaml --timeout 9h", "troupe run --timeout 9h"],
  ["start asks.yaml --background", "troupe start --background"],
])("%s is a person's word [SEC-3.declared, T15]", async (line, told) => {
  const { exitCode, err } = await call(createProject({ "asks.yaml": "" }), line.split(" "), {
    above: ABOVE,
  });
  expect([exitCode, err]).toEqual([2, expect.stringContaining(`AGENT]: ${told} was called`)]);
});

test("what only reads is for everybody, also of commands that do more [SEC-3.declared]", async () => {
  const { cwd, run } = await waiting();
  const lines = [
    "runs",
    "inbox",
    `show ${run}`,
    `resume ${run} --explain`,
    `rerun ${run} --failed --explain`,
    `gc ${run} --force --dry-run`,
    "trust --show",
    "trust --list",
    "daemon status",
    "run asks.yaml x --trust --dry-run",
  ];
  for (const line of lines) {
    const { err } = await call(cwd, line.split(" "), { above: ABOVE });
    expect([line, err]).toEqual([line, expect.not.stringContaining("BY_AGENT")]);
  }
});

test("a run that was started below the same program is its own to decide and to end, and no other's [SEC-3.below]", async () => {
  const { cwd, run, item } = await waiting("f1");
  const other = { ...ABOVE, family: "f2" };
  for (const line of [
    ["approve", item],
    ["cancel", "@last"],
    ["stop", "--all"],
  ])
    expect([line, (await call(cwd, line, { above: other })).exitCode]).toEqual([line, 2]);
  const approved = await call(cwd, ["approve", item], { above: ABOVE });
  expect(approved).toMatchObject({ exitCode: 0, out: expect.stringContaining("recorded") });
  const cancelled = await call(cwd, ["cancel", "@last"], { above: ABOVE });
  expect(cancelled).toMatchObject({ exitCode: 0, out: expect.stringContaining(run) });
  // What concerns more than that run stays a person's.
  expect((await call(cwd, ["gc", run, "--force", "--yes"], { above: ABOVE })).exitCode).toBe(2);
});
