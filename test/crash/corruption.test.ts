import { chmodSync, cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { createMachineAt, type Machine } from "../../src/app/machine/machine.ts";
import { adoptRun } from "../../src/app/run/adopt-run.ts";
import { commandRun } from "../../src/app/run/commands/command-run.ts";
import { casesOf } from "../cases.ts";
import { runChild } from "./child-run.ts";
import { uninterruptedResult } from "./crash-case.ts";
import { countsOf, say, seedOf } from "./report.ts";
import { createSandbox, observe, type Sandbox } from "./sandbox.ts";
import { comparable, expectShownIsDurable } from "./verdict.ts";

const ROUNDS = casesOf(12);
const random = seedOf("corruption");

// After a kill everything lies in the log, without a seal; after a message that was left for the run,
// everything lies in the database, sealed.
for (const [file, isSettled] of [
  ["journal.db", true],
  ["journal.db-wal", false],
] as const) {
  test(`a killed run whose ${file} has a flipped bit is refused or ends right, never wrong [ENG-5, P7]`, async () => {
    await damageAndResume(`${file}, one bit`, isSettled, (directory) => {
      const bytes = readFileSync(join(directory, file));
      const offset = Math.floor(random() * bytes.length);
      bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 << Math.floor(random() * 8)), offset);
      writeFileSync(join(directory, file), bytes);
    });
  });

  test(`a killed run whose ${file} lost its end is refused or ends right, never wrong [ENG-5, P7]`, async () => {
    await damageAndResume(`${file}, torn`, isSettled, (directory) => {
      const path = join(directory, file);
      truncateSync(path, Math.floor(random() * readFileSync(path).length));
    });
  });
}

test("a killed run whose seal has a flipped bit is foreign, and goes on when it was adopted [ENG-5]", async () => {
  const expected = comparable(await uninterruptedResult());
  const sandbox = createSandbox();
  await runChild(sandbox, { action: "start", dieAt: { when: "after", append: 14 } });
  const { run = "" } = observe(sandbox);
  await leaveMessage(sandbox);
  const journal = join(sandbox.runsDirectory, run, "journal.db");
  const bytes = readFileSync(journal);
  const offset = bytes.indexOf(readOrigin(journal));
  bytes.writeUInt8(bytes.readUInt8(offset) ^ 1, offset);
  writeFileSync(journal, bytes);
  expect(await resumeDamaged(sandbox, expected)).toBe("RUN_FOREIGN");
  adoptRun(machineOf(sandbox), run);
  expect(await resumeDamaged(sandbox, expected)).toBe("ended right");
  await sandbox.remove();
});

function readOrigin(journal: string): string {
  const db = new DatabaseSync(journal, { readOnly: true });
  const { seal } = db.prepare("SELECT seal FROM origin").get() ?? {};
  db.close();
  return String(seal);
}

/** Damages one killed run again and again, each time from the same state, and resumes it. */
async function damageAndResume(
  what: string,
  isSettled: boolean,
  damage: (directory: string) => void,
): Promise<void> {
  const expected = comparable(await uninterruptedResult());
  const sandbox = createSandbox();
  await runChild(sandbox, { action: "start", dieAt: { when: "after", append: 14 } });
  const { run = "" } = observe(sandbox);
  if (isSettled) await leaveMessage(sandbox);
  const directory = join(sandbox.runsDirectory, run);
  const original = join(sandbox.root, "original");
  cpSync(directory, original, { recursive: true });
  const ends: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    damage(directory);
    ends.push(await resumeDamaged(sandbox, expected));
    rmSync(directory, { recursive: true });
    cpSync(original, directory, { recursive: true });
    // The copy is to be the run itself: one that is open to others would be foreign.
    chmodSync(directory, 0o700);
  }
  say(`${what}: ${ROUNDS} rounds: ${countsOf(ends)}`);
  await sandbox.remove();
}

function leaveMessage(sandbox: Sandbox): Promise<unknown> {
  const command = { kind: "send", text: "hello", key: "hello" } as const;
  return commandRun(machineOf(sandbox), "@last", { command });
}

function machineOf({ cwd, temporary }: Sandbox): Machine {
  return createMachineAt({ cwd, env: { ...process.env, TMPDIR: temporary } });
}

async function resumeDamaged(sandbox: Sandbox, expected: unknown): Promise<string> {
  const end = await runChild(sandbox, { action: "resume" });
  if (end.exitCode === 0) {
    expect(comparable(end.result)).toEqual(expected);
    expectShownIsDurable(end, observe(sandbox));
    return "ended right";
  }
  // A file cut to nothing is a run that was never begun; there is no seal yet that says otherwise. And a bit of the
  // seal that marks the run as its user's own makes it foreign: nobody can tell that from a seal of another key.
  expect(end.error?.code).toMatch(/^(STORE_\w+|RUN_NOT_FOUND|RUN_NEVER_BEGAN|RUN_FOREIGN)$/);
  return end.error?.code ?? "";
}
