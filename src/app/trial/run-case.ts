import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { JournalEvent } from "../../contracts/events/event.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { createHost } from "../../host/host.ts";
import { makeProcessDirectory, removeLeftDirectories } from "../../host/process-directory.ts";
import type { Machine } from "../machine/machine.ts";
import { checkRun, type RunDifference } from "./check-run.ts";
import { testSetupFailed } from "./errors.ts";
import { type CaseRequest, loadTrial, type TrialCode } from "./load-trial.ts";
import { type PlayedRun, playTrial } from "./play-trial.ts";
import type { KillPoint, TestCase } from "./test-file-schema.ts";

/** What came of a case that was played to its end. */
export interface CaseResult {
  readonly run: PlayedRun;
  /** Empty when the run was as expected. */
  readonly differences: readonly RunDifference[];
  /** How long it took on the clock of the test, in ms. */
  readonly virtualMs: number;
}

const LONGEST = "7d";
const MOMENT_MS = 150;
const MOST_FILES = 1000;
const MOST_FILE_BYTES = 1024 * 1024;

/**
 * Plays a case in an empty directory of its own, which is removed afterwards, and looks at the run. Raises
 * TEST_SETUP_FAILED, TEST_RUN_ENDLESS, what loadTrial raises, and what keeps a run from starting.
 */
export async function runCase(
  machine: Machine,
  request: CaseRequest,
  code: TrialCode = {},
): Promise<CaseResult> {
  const { given } = request;
  const { definition, start } = await loadTrial(machine, request, code);
  return inDirectory(machine, async (cwd) => {
    await prepare(machine, cwd, given);
    const run = await playTrial({
      cwd,
      outer: machine,
      definition,
      start,
      people: given.people ?? [],
      kills: (given.kill ?? []).map(toKill),
      withinMs: parseDuration(given.within ?? LONGEST),
      momentMs: MOMENT_MS,
    });
    const differences = checkRun(run, given.expect);
    const virtualMs = run.stage.time.monotonic();
    return { run: { ...run, files: filesIn(cwd) }, differences, virtualMs };
  });
}

const KIND = "trial";

/** Does something in a new directory, which is removed afterwards, or by the next trial if this process is killed. */
export async function inDirectory<Result>(
  { table }: Pick<Machine, "table">,
  work: (cwd: string) => Promise<Result>,
): Promise<Result> {
  removeLeftDirectories(KIND, table);
  const cwd = realpathSync(makeProcessDirectory(KIND, table));
  // A project of its own, whatever lies above.
  mkdirSync(join(cwd, ".troupe"));
  try {
    return await work(cwd);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** Texts of the files in a directory that goes, without those of git and of Troupe. */
function filesIn(cwd: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const entry of readdirSync(cwd, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(cwd, path);
    if (!entry.isFile() || /^\.(git|troupe)(\/|$)/.test(name)) continue;
    if (files.size < MOST_FILES && statSync(path).size <= MOST_FILE_BYTES)
      files.set(name, readFileSync(path, "utf8"));
  }
  return files;
}

/** Tells the event after which a process dies. */
function toKill({ event: type, step, agent, nth }: KillPoint): (event: JournalEvent) => boolean {
  let seen = 0;
  return (event) => {
    if (event.type !== type) return false;
    if (step !== undefined && !("path" in event && event.path === step)) return false;
    if (agent !== undefined && !("agent" in event && event.agent === agent)) return false;
    seen += 1;
    return seen === nth;
  };
}

async function prepare(machine: Machine, cwd: string, given: TestCase): Promise<void> {
  const { files = {}, setup = [] } = given;
  const { clock, env } = machine;
  const host = createHost({ run: "", clock, env });
  try {
    const workspace = host.workspace(cwd);
    for (const [path, text] of Object.entries(files)) await workspace.writeText(path, text);
    for (const command of setup) {
      const request = { command, cwd, env: host.commandEnv({}), timeoutMs: 60_000 };
      const result = await host.run(request, new AbortController().signal);
      if (result.exitCode === 0) continue;
      const problem = result.stderr.trim() || `exit ${result.exitCode}`;
      throw testSetupFailed({ command, problem });
    }
  } finally {
    await host.close();
  }
}
