import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { examineRun } from "../../../src/app/doctor/examine-run.ts";
import { createMachineAt } from "../../../src/app/machine/machine.ts";
import { claim, RULES } from "../../../src/testing/journal-case.ts";

test("the doctor of a run says who holds it, and finds a journal that is shorter than its seal", () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "troupe-doctor-")));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, ".troupe"));
  const machine = createMachineAt({ cwd, env: { ...process.env, TROUPE_HOME: join(cwd, "home") } });
  const journal = machine.store.create("run_aaaaaa");
  const statusOf = () =>
    examineRun(machine, "run_aaaaaa").map(({ subject, status }) => [subject, status]);
  expect(statusOf()).toEqual([
    ["events", "warning"],
    ["lease", "ok"],
    ["place", "ok"],
  ]);
  journal.takeLease(claim({ bootId: "elsewhere.1" }), RULES);
  expect(statusOf()).toContainEqual(["lease", "note"]);
  journal.close();
  const seal = JSON.stringify({ format: 1, seq: 3, hash: "0".repeat(64) });
  writeFileSync(join(cwd, ".troupe", "runs", "run_aaaaaa", "journal.seal"), seal, { mode: 0o600 });
  expect(statusOf()).toEqual([["events", "problem"]]);
});
