// What takes longer than a suite of every day may: `npm run prove`, `npm run prove -- 20`. Every property with all its
// cases and a seed of its own, as many times as the argument says; then the e2e, crash and clients suites, of which CI takes
// a third, with every kill and case that they sample elsewhere; then every row of the bench.

import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const rounds = Number(process.argv[2] ?? 1);
if (!Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write("say how many seeds to try: npm run prove -- 20\n");
  process.exit(2);
}

const isSlow = (file: string) =>
  file.endsWith(".slow.test.ts") || file.startsWith(join("test", "e2e"));
const properties = globSync("test/**/*.test.ts", { cwd: root }).filter(
  (file) =>
    !file.startsWith(join("test", "crash")) &&
    /"fast-check"|strideOf\(|casesOf\(|takesAll\(/.test(readFileSync(join(root, file), "utf8")),
);

for (let round = 1; round <= rounds; round += 1) {
  const seed = randomInt(1, 2 ** 31);
  process.stdout.write(`seed ${seed} (${round} of ${rounds})\n`);
  const cases = { TROUPE_PROPERTY_SEED: String(seed), TROUPE_CASES: "all" };
  prove(
    "vitest.config.ts",
    properties.filter((file) => !isSlow(file)),
    cases,
  );
  prove("vitest.e2e.config.ts", properties.filter(isSlow), cases);
}
for (const suite of ["e2e", "crash", "clients"])
  prove(`vitest.${suite}.config.ts`, [], { TROUPE_CASES: "all" });
run("npm", ["run", "--silent", "bench", "--", "--quick"]);

function prove(
  config: string,
  files: readonly string[],
  settings: { readonly [name: string]: string },
): void {
  const args = [vitest, "run", "--config", config, "--reporter=dot", ...files];
  const given = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const again = `repeat it: ${given.join(" ")} npx vitest run --config ${config} FILE\n`;
  run(process.execPath, args, { settings, again });
}

/** Ends this program with 1, after the line `again`, if the command fails. */
function run(
  command: string,
  args: readonly string[],
  { settings = {}, again = "" }: { readonly settings?: object; readonly again?: string } = {},
): void {
  const env = { ...process.env, ...settings };
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", env });
  if (status === 0) return;
  process.stderr.write(again);
  process.exit(1);
}
