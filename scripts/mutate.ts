// Changes the code in small ways, one at a time, and lists the changes that its tests do not notice: `npm run mutate --
// src/programs/step`. Its tests are those of the same folder, or those that --tests names: `--tests 'test/programs/**/*.test.ts'`.
// What was tried before and has not changed is not tried again.

import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Tests to look at, as a pattern; without it those of the folders given. */
    tests: { type: "string", multiple: true },
    workers: { type: "string", default: "1" },
  },
});

const unknown = positionals.filter((path) => !existsSync(join(root, path)));
if (positionals.length === 0 || unknown.length > 0) {
  process.stderr.write(
    unknown.length > 0
      ? `there is no ${unknown.join(", ")}\n`
      : "say what to change: npm run mutate -- src/engine\n",
  );
  process.exit(2);
}

const temporary = join(root, "temp", "mutate");
mkdirSync(temporary, { recursive: true });
const configuration = join(temporary, "stryker.config.json");
writeFileSync(configuration, JSON.stringify(configurationOf(positionals), undefined, 2));
const stryker = join(root, "node_modules", "@stryker-mutator", "core", "bin", "stryker.js");
const { status } = spawnSync(process.execPath, [stryker, "run", configuration], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TROUPE_MUTATED_BY: testPatterns(positionals).join(":") },
});
process.exitCode = status ?? 1;

function configurationOf(paths: readonly string[]) {
  return {
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    vitest: { configFile: "vitest.mutate.config.ts", related: false },
    coverageAnalysis: "perTest",
    // What runs once on import is the same in every test: each such change would need the whole suite.
    ignoreStatic: true,
    mutate: paths.map((path) => (isFolder(path) ? `${path}/**/*.ts` : path)),
    // The last is a link to what a build leaves.
    ignorePatterns: [".troupe", "coverage", "dist", "temp", "pack-with-npm-run-pack"],
    incremental: true,
    incrementalFile: join("temp", "mutate", `${toFileName(paths)}.json`),
    // Elsewhere, so that no tool takes the copies for a part of the project.
    tempDirName: join(tmpdir(), "troupe-mutate"),
    concurrency: Number(values.workers),
    // A change of a message or a description is none of behaviour.
    mutator: { excludedMutations: ["StringLiteral"] },
    reporters: ["clear-text"],
    clearTextReporter: { allowColor: false, reportTests: false, logTests: false },
    allowConsoleColors: false,
    // A busy machine is no change that was noticed.
    timeoutMS: 20_000,
    timeoutFactor: 4,
  };
}

/** One name for the same paths; that of a file may have 255 bytes. */
function toFileName(paths: readonly string[]): string {
  const name = paths.join("+").replaceAll("/", ".");
  return name.length <= 200 ? name : hash("sha256", name);
}

/** Which tests judge: those that were named, or those of the same folders. */
function testPatterns(paths: readonly string[]): readonly string[] {
  return (
    values.tests ??
    paths.map((path) => `${path.replace(/^src/, "test").replace(/\.ts$/, "")}{/**/*,}.test.ts`)
  );
}

function isFolder(path: string): boolean {
  return statSync(join(root, path)).isDirectory();
}
