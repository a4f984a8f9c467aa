// Everything that a machine can say about the repository without running its tests.
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createSemaphore } from "../src/foundation/semaphore.ts";

interface Part {
  readonly name: string;
  readonly command: string;
  /** The part whose success this one needs. */
  readonly after?: string;
}

interface Verdict {
  readonly name: string;
  readonly isGood: boolean;
  readonly durationMs: number;
  readonly output: string;
}

const root = join(import.meta.dirname, "..");
const neverAborted = new AbortController().signal;
const hasExamples = globSync("examples/**/*.ts", { cwd: root }).length > 0;

const parts: readonly Part[] = [
  { name: "build", command: "npm run --silent build" },
  { name: "types", command: "tsc" },
  { name: "types of pages", command: "tsc -p src/dashboard/client && tsc -p test/e2e" },
  { name: "package", command: "node scripts/check-package.ts", after: "build" },
  { name: "api report", command: "node scripts/api-report.ts --check", after: "build" },
  ...(hasExamples
    ? [{ name: "examples", command: "tsc -p tsconfig.examples.json", after: "build" }]
    : []),
  { name: "style", command: "biome ci --colors=off" },
  { name: "layers", command: "depcruise src" },
  { name: "unused", command: "knip --no-progress" },
  { name: "schemas", command: "node scripts/write-schemas.ts --check" },
  { name: "reference", command: "node scripts/write-reference.ts --check" },
  { name: "report page", command: "node scripts/build-report.ts --check" },
  { name: "house", command: "node scripts/house.ts --check" },
  { name: "diagram", command: "node scripts/folder-diagram.ts --check" },
  { name: "requirements", command: "node scripts/requirements.ts" },
  { name: "judged times", command: "node scripts/judged-times.ts" },
];

const startedMs = performance.now();
const verdicts = await runAll();
const bad = verdicts.filter(({ isGood }) => !isGood);
for (const { name, output } of bad) process.stdout.write(`\n--- ${name}\n${output.trim()}\n`);
const seconds = inSeconds(performance.now() - startedMs);
process.stdout.write(
  `\ncheck: ${verdicts.length - bad.length} passed, ${bad.length} failed, ${seconds}\n`,
);
process.exitCode = bad.length === 0 ? 0 : 1;

/** Keeps as many parts going as there are cores, each as soon as what it needs is there. */
async function runAll(): Promise<readonly Verdict[]> {
  const cores = createSemaphore(Math.max(2, availableParallelism()));
  const verdicts = new Map<string, Promise<Verdict>>();
  const judge = async (part: Part): Promise<Verdict> => {
    const needed = part.after === undefined ? undefined : await verdicts.get(part.after);
    if (needed?.isGood === false) return skip(part, needed.name);
    await cores.acquire(neverAborted);
    return runPart(part).finally(() => cores.release());
  };
  for (const part of parts) verdicts.set(part.name, judge(part).then(report));
  return Promise.all(verdicts.values());
}

function skip({ name }: Part, needed: string): Verdict {
  return { name, isGood: false, durationMs: 0, output: `not run: ${needed} failed` };
}

function runPart({ name, command }: Part): Promise<Verdict> {
  const partStartedMs = performance.now();
  const child = spawn(command, { cwd: root, shell: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      const durationMs = performance.now() - partStartedMs;
      resolve({ name, isGood: code === 0, durationMs, output });
    });
  });
}

function report(verdict: Verdict): Verdict {
  const mark = verdict.isGood ? "ok  " : "FAIL";
  process.stdout.write(`${mark} ${verdict.name.padEnd(14)} ${inSeconds(verdict.durationMs)}\n`);
  return verdict;
}

function inSeconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}
