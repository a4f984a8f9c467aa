/**
 * Records runs of this version for recorded-runs.test.ts: node test/recorded/record-runs-program.ts [NAME...]
 * Each workflow of RECIPES is carried out by the command, once whole and three times killed with SIGKILL on its way. What is kept of
 * each is its export and what `show` told of it. They stay as they are: later versions have to read them.
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { KILLS, RECIPES, type Recipe } from "./recipes.ts";

const bin = join(import.meta.dirname, "../../bin/troupe.js");
const names = process.argv.slice(2);

for (const name of names)
  if (!RECIPES.some((recipe) => recipe.name === name))
    throw new Error(
      `there is no recipe ${name}: ${RECIPES.map((recipe) => recipe.name).join(", ")}`,
    );
for (const recipe of RECIPES)
  if (names.length === 0 || names.includes(recipe.name)) await recordAll(recipe);

async function recordAll(recipe: Recipe): Promise<void> {
  const { run, eventCount } = await record(recipe, "whole", Infinity);
  process.stdout.write(`${recipe.name}: ${run}, ${eventCount} events\n`);
  for (const [index, kill] of KILLS.entries())
    await record(recipe, kill, Math.round(((index + 1) / (KILLS.length + 1)) * eventCount));
}

/** Carries a recipe out until its runs have so many events, and keeps what is there then. */
async function record(recipe: Recipe, when: string, killAt: number) {
  const project = mkdtempSync(join(tmpdir(), "troupe-record-"));
  cpSync(join(import.meta.dirname, "workflows"), project, { recursive: true });
  try {
    if (recipe.before !== undefined) troupe(project, recipe.before);
    const earlier = new Set(runsOf(project));
    const run = await carryOut(project, recipe.args, { earlier, killAt });
    const file = join(import.meta.dirname, "runs", `${recipe.name}.${when}`);
    rmSync(`${file}.jsonl.gz`, { force: true });
    troupe(project, ["export", run, "-o", `${file}.jsonl.gz`]);
    const runs = [run, ...runsOf(project).filter((each) => each !== run && !earlier.has(each))];
    // A child that has not begun shows no run.
    const shown = runs
      .map((each) => JSON.parse(troupe(project, ["show", each, "--json"])))
      .filter(({ run: begun }) => begun !== null);
    writeFileSync(`${file}.shown.json`, `${JSON.stringify(shown, null, 1)}\n`);
    return { run, eventCount: countEvents(project, earlier) };
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/** The run that a command makes; it is killed as soon as all new runs together have so many events. */
async function carryOut(
  project: string,
  args: readonly string[],
  { earlier, killAt }: { readonly earlier: ReadonlySet<string>; readonly killAt: number },
): Promise<string> {
  const [command = "", ...rest] = args;
  const child = spawn(process.execPath, [bin, command, "--json", ...rest], {
    cwd: project,
    stdio: ["ignore", "ignore", "inherit"],
  });
  // Runs below it come later.
  let run: string | undefined;
  const looks = setInterval(() => {
    run ??= runsOf(project).find((each) => !earlier.has(each));
    if (countEvents(project, earlier) >= killAt) child.kill("SIGKILL");
  }, 2);
  await new Promise((resolve) => child.once("close", resolve));
  clearInterval(looks);
  if (run === undefined) throw new Error(`no run was seen of: ${args.join(" ")}`);
  return run;
}

function troupe(cwd: string, args: readonly string[]): string {
  return spawnSync(process.execPath, [bin, ...args], { cwd, encoding: "utf8" }).stdout;
}

function runsOf(project: string): readonly string[] {
  try {
    return readdirSync(join(project, ".troupe/runs")).filter((name) => name.startsWith("run_"));
  } catch {
    return [];
  }
}

function countEvents(project: string, earlier: ReadonlySet<string>): number {
  const runs = runsOf(project).filter((run) => !earlier.has(run));
  return runs.reduce((total, run) => total + eventsOf(project, run), 0);
}

function eventsOf(project: string, run: string): number {
  try {
    const file = join(project, ".troupe/runs", run, "journal.db");
    using database = new DatabaseSync(file, { readOnly: true, timeout: 1000 });
    const row = database.prepare("SELECT max(seq) AS total FROM batches").get();
    return Number(row?.["total"] ?? 0);
  } catch {
    // Its first commit is still to come.
    return 0;
  }
}
