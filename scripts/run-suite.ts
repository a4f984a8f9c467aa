// Runs a slow suite: `node scripts/run-suite.ts vitest.e2e.config.ts [ARGUMENT...]`. A test that fails is run once more,
// with nothing else beside it. If it passes then, the suite is green and says `flaky: NAME, first error`. Many failures
// are no coincidence and are not run again; neither are files that broke outside of a test.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SuiteReport, TestFailure } from "../test/failure-reporter.ts";

const MAX_RUN_AGAIN = 5;
const root = join(import.meta.dirname, "..");
const [config = "", ...rest] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "troupe-suite-"));
try {
  process.exitCode = runSuite();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function runSuite(): number {
  const { status, report } = runVitest("first", rest);
  if (status === 0 || report === undefined) return status;
  const { failures, passed, skipped, unhandled } = report;
  const canRunAgain =
    unhandled === 0 &&
    failures.length > 0 &&
    failures.length <= MAX_RUN_AGAIN &&
    failures.every(({ name }) => name !== undefined);
  if (!canRunAgain) return status;
  const flaky = failures.filter((failure, index) => passesAlone(failure, index));
  for (const { name, error } of flaky) process.stdout.write(`flaky: ${name}, ${error}\n`);
  const failed = failures.length - flaky.length;
  const counts = [
    ...(failed === 0 ? [] : [`${failed} failed`]),
    `${passed + flaky.length} passed`,
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ];
  process.stdout.write(
    `\n      Tests  ${counts.join(" | ")} (${passed + failures.length + skipped})\n`,
  );
  return failed === 0 ? 0 : status;
}

function passesAlone({ file, name = "" }: TestFailure, index: number): boolean {
  process.stdout.write(`\nonce more, alone: ${name}\n`);
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  // Vitest matches titles as patterns, with their groups before them.
  const pattern = `^${escaped.replaceAll(" > ", "(?: > | )")}$`;
  const args = [file, "-t", pattern, "--maxWorkers=1"];
  const { status, report } = runVitest(`again-${index}`, args, { TROUPE_SUITE_AGAIN: "1" });
  return status === 0 && report?.passed === 1;
}

function runVitest(
  name: string,
  args: readonly string[],
  env: { readonly [name: string]: string } = {},
) {
  const file = join(folder, `${name}.json`);
  const program = join(root, "node_modules", "vitest", "vitest.mjs");
  const { status } = spawnSync(process.execPath, [program, "run", "--config", config, ...args], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env, TROUPE_SUITE_REPORT: file },
  });
  return { status: status ?? 1, report: readReport(file) };
}

/** Undefined when the suite ended before its tests did. */
function readReport(file: string): SuiteReport | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
