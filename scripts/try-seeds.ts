// Runs the tests of properties with new seeds: `npm run test:seeds`, `npm run test:seeds -- 20`. What fails is repeated
// with the seed that is printed.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const rounds = Number(process.argv[2] ?? 1);
if (!Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write("say how many seeds to try: npm run test:seeds -- 20\n");
  process.exit(2);
}

const files = globSync("test/**/*.test.ts", { cwd: root }).filter(
  (file) =>
    !file.startsWith(join("test", "crash")) &&
    /"fast-check"/.test(readFileSync(join(root, file), "utf8")),
);
const isSlow = (file: string) =>
  file.endsWith(".slow.test.ts") || file.startsWith(join("test", "e2e"));
const suites = [
  { config: "vitest.config.ts", files: files.filter((file) => !isSlow(file)) },
  { config: "vitest.e2e.config.ts", files: files.filter(isSlow) },
];

for (let round = 1; round <= rounds; round += 1) {
  const seed = randomInt(1, 2 ** 31);
  process.stdout.write(`seed ${seed} (${round} of ${rounds})\n`);
  for (const suite of suites) tryIn(suite, seed);
}

function tryIn(suite: (typeof suites)[number], seed: number): void {
  const { status } = spawnSync(
    process.execPath,
    [vitest, "run", "--config", suite.config, "--reporter=dot", ...suite.files],
    {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, TROUPE_PROPERTY_SEED: String(seed) },
    },
  );
  if (status === 0) return;
  process.stderr.write(
    `repeat it: TROUPE_PROPERTY_SEED=${seed} npx vitest run --config ${suite.config} FILE\n`,
  );
  process.exit(1);
}
