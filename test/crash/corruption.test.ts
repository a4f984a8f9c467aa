import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runChild } from "./child-run.ts";
import { uninterruptedResult } from "./crash-case.ts";
import { say, seedOf } from "./report.ts";
import { createSandbox, observe, type Sandbox } from "./sandbox.ts";
import { comparable, expectShownIsDurable } from "./verdict.ts";

const ROUNDS = 16;
const random = seedOf("corruption");

for (const file of ["journal.db", "journal.db-wal"] as const) {
  test(`a killed run whose ${file} has a flipped bit is refused or ends right, never wrong [ENG-5, P7]`, async () => {
    await damageAndResume(`${file}, one bit`, (directory) => {
      const bytes = readFileSync(join(directory, file));
      const offset = Math.floor(random() * bytes.length);
      bytes.writeUInt8(bytes.readUInt8(offset) ^ (1 << Math.floor(random() * 8)), offset);
      writeFileSync(join(directory, file), bytes);
    });
  });

  test(`a killed run whose ${file} lost its end is refused or ends right, never wrong [ENG-5, P7]`, async () => {
    await damageAndResume(`${file}, torn`, (directory) => {
      const path = join(directory, file);
      truncateSync(path, Math.floor(random() * readFileSync(path).length));
    });
  });
}

/** Damages one killed run again and again, each time from the same state, and resumes it. */
async function damageAndResume(what: string, damage: (directory: string) => void): Promise<void> {
  const expected = comparable(await uninterruptedResult());
  const sandbox = createSandbox();
  await runChild(sandbox, { action: "start", dieAt: { when: "after", append: 14 } });
  const { run = "" } = observe(sandbox);
  const directory = join(sandbox.runsDirectory, run);
  const original = join(sandbox.root, "original");
  cpSync(directory, original, { recursive: true });
  const ends = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    damage(directory);
    const code = await resumeDamaged(sandbox, expected);
    ends.set(code, (ends.get(code) ?? 0) + 1);
    rmSync(directory, { recursive: true });
    cpSync(original, directory, { recursive: true });
  }
  say(`${what}: ${ROUNDS} rounds: ${JSON.stringify(Object.fromEntries(ends))}`);
  await sandbox.remove();
}

async function resumeDamaged(sandbox: Sandbox, expected: unknown): Promise<string> {
  const end = await runChild(sandbox, { action: "resume" });
  if (end.exitCode === 0) {
    expect(comparable(end.result)).toEqual(expected);
    expectShownIsDurable(end, observe(sandbox));
    return "ended right";
  }
  // A file cut to nothing is a run that was never begun; there is no seal yet that says otherwise.
  expect(end.error?.code).toMatch(/^(STORE_\w+|RUN_NOT_FOUND|ENGINE_PROGRAM_NOT_FOUND)$/);
  return end.error?.code ?? "";
}
