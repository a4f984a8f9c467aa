import type { Machine } from "../../app/machine/machine.ts";
import { readTextFile } from "../../app/machine/place/read-text-file.ts";
import { testNothingSelected } from "../../app/trial/errors.ts";
import { keepRuns } from "../../app/trial/keep-run.ts";
import type { CaseRequest } from "../../app/trial/load-trial.ts";
import { isTestFile, readTestFile } from "../../app/trial/read-test-file.ts";
import { createSimulation, type SimulatedRun } from "../../app/trial/simulate/simulate.ts";
import { formatDuration } from "../../foundation/duration.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import type { Invocation } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { inputPath } from "../prepare/read-input.ts";
import { type FilesToPlay, isSelected } from "./play-files.ts";

/** What is simulated, and how often. */
export interface FilesToSimulate extends FilesToPlay {
  /** The task of workflow files; test files say their own. */
  readonly task: string | undefined;
  readonly runs: number;
  /** The first seed. */
  readonly first: number;
}

/** Runs of one workflow. */
interface SimulatedFile {
  readonly name: string;
  readonly runs: readonly Omit<SimulatedRun, "played">[];
  /** Ids under which runs with violations were kept, by seed. */
  readonly kept: { readonly [seed: number]: string };
}

const MAX_BYTES = 4 * 1024 * 1024;
/** Of more than that, only how many there are is told. */
const MOST_SHOWN = 5;

/** Plays each workflow with many seeds and tells what must hold and does not. Resolves with the exit code. */
export async function simulateFiles(
  machine: Machine,
  given: FilesToSimulate,
  invocation: Invocation,
): Promise<number> {
  const startedAt = performance.now();
  const simulated: SimulatedFile[] = [];
  for (const { name, request } of await requestsOf(given, invocation)) {
    const file = await simulateFile(machine, { name, request, ...given });
    simulated.push(file);
    if (!given.isJson) tellFile(file, invocation);
  }
  const runs = simulated.flatMap((file) => file.runs);
  const bad = runs.filter(({ violations }) => violations.length > 0).length;
  if (given.isJson) invocation.io.stdout.write(`${JSON.stringify(toDocument(simulated))}\n`);
  else tellSum({ runs: runs.length, bad, tookMs: performance.now() - startedAt }, invocation);
  return bad === 0 ? EXIT.completed : EXIT.failed;
}

interface NamedRequest {
  readonly name: string;
  readonly request: CaseRequest;
}

/** Each case of a test file, or a workflow file with its task. */
async function requestsOf(
  { files, only, task }: FilesToSimulate,
  { settings }: Invocation,
): Promise<readonly NamedRequest[]> {
  const all: NamedRequest[] = [];
  for (const file of files) {
    const path = inputPath(file, settings);
    const text = await readTextFile(path, MAX_BYTES);
    if (!isTestFile(text, path)) {
      const given = {
        name: path,
        task: task ?? "a task",
        expect: { outcome: "completed" as const },
      };
      all.push({
        name: path,
        request: { file: path, workflow: lastPart(path), agents: undefined, given },
      });
      continue;
    }
    const { content } = readTestFile(text, path);
    for (const given of content.cases)
      all.push({
        name: `${path}: ${given.name}`,
        request: { file: path, workflow: content.workflow, agents: content.agents, given },
      });
  }
  const selected = all.filter(({ request }) => isSelected(request.given.name, only));
  if (selected.length === 0) throw testNothingSelected({ pattern: only ?? "", cases: all.length });
  return selected;
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

async function simulateFile(
  machine: Machine,
  { name, request, runs, first }: NamedRequest & Pick<FilesToSimulate, "runs" | "first">,
): Promise<SimulatedFile> {
  const simulation = await createSimulation(machine, request);
  const done: Omit<SimulatedRun, "played">[] = [];
  const kept: { [seed: number]: string } = {};
  for (let seed = first; seed < first + runs; seed += 1) {
    const { played, ...run } = await simulation.run(seed);
    done.push(run);
    if (run.violations.length === 0 || played === undefined) continue;
    if (Object.keys(kept).length >= MOST_SHOWN || machine.store.has(played.id)) continue;
    await keepRuns(machine, played.stage);
    kept[seed] = played.id;
  }
  return { name, runs: done, kept };
}

function toDocument(files: readonly SimulatedFile[]) {
  return {
    v: 1,
    files: files.map(({ name, runs, kept }) => ({
      name,
      runs: runs.length,
      outcomes: Object.fromEntries(countOutcomes(runs)),
      violations: runs
        .filter(({ violations }) => violations.length > 0)
        .map(({ seed, violations }) => ({ seed, violations, run: kept[seed] ?? null })),
    })),
  };
}

function countOutcomes(
  runs: readonly Pick<SimulatedRun, "outcome">[],
): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { outcome } of runs) {
    const name = outcome === "suspended" ? "waiting" : outcome;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort(([, left], [, right]) => right - left);
}

function tellFile({ name, runs, kept }: SimulatedFile, { io, settings }: Invocation): void {
  const { glyphs, paint, isQuiet } = settings;
  const print = (line: string) => io.stdout.write(`${line}\n`);
  if (!isQuiet) {
    const seeds = `seeds ${runs[0]?.seed ?? 0} to ${runs.at(-1)?.seed ?? 0}`;
    print(`${toPrintable(name)}  ${paint(seeds, "aside")}`);
    for (const [outcome, number] of countOutcomes(runs))
      print(
        `  ${outcome.padEnd(14)} ${String(number).padStart(6)}  ${percent(number, runs.length)}`,
      );
    print(`  ${spread(runs)}`);
  }
  const bad = runs.filter(({ violations }) => violations.length > 0);
  if (isQuiet && bad.length > 0) print(toPrintable(name));
  for (const { seed, violations } of bad.slice(0, MOST_SHOWN)) {
    print(
      `  ${paint(glyphs.failed, "failed")} seed ${seed}: ${toPrintable(violations.join("; "))}`,
    );
    const run = kept[seed];
    if (run !== undefined) print(`    the run is kept: ${TROUPE} show ${run}`);
  }
  const [first] = bad;
  if (bad.length > MOST_SHOWN) print(`  and ${bad.length - MOST_SHOWN} more`);
  if (first !== undefined) print(`  once more: --simulate 1 --seed ${first.seed}`);
}

/** How different the runs were. */
function spread(runs: SimulatedFile["runs"]): string {
  const turns = runs.map((run) => run.turns).sort((left, right) => left - right);
  const [least = 0, most = 0] = [turns[0], turns.at(-1)];
  const median = turns[Math.floor(turns.length / 2)] ?? 0;
  const longest = formatDuration(Math.max(...runs.map(({ virtualMs }) => virtualMs)));
  const deaths = runs.reduce((sum, run) => sum + run.deaths, 0);
  return `${least} to ${most} turns, ${median} in the middle; at most ${longest}; ${deaths} times its process died and the run went on`;
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)}%`;
}

function tellSum(
  { runs, bad, tookMs }: { runs: number; bad: number; tookMs: number },
  { io, settings }: Invocation,
): void {
  if (settings.isQuiet && bad === 0) return;
  const { glyphs, paint } = settings;
  const took = formatDuration(tookMs);
  const words =
    bad === 0
      ? `${paint(glyphs.done, "done")} all of ${runs} simulated runs kept what must hold, in ${took}`
      : `${paint(glyphs.failed, "failed")} ${bad} of ${runs} simulated runs did not keep what must hold, in ${took}`;
  io.stdout.write(`${words}\n`);
}
