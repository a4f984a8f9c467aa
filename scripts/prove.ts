// What takes longer than a suite of every day may: `npm run prove`, `npm run prove -- 20`. Every property with all its
// cases and a seed of its own, as many times as the argument says; then the crash and clients suites, which in other runs
// sample their kills, with every one of them.

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
prove("vitest.crash.config.ts", [], { TROUPE_CASES: "all" });
prove("vitest.clients.config.ts", [], { TROUPE_CASES: "all" });

function prove(
  config: string,
  files: readonly string[],
  settings: { readonly [name: string]: string },
): void {
  const args = [vitest, "run", "--config", config, "--reporter=dot", ...files];
  const env = { ...process.env, ...settings };
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env });
  if (status === 0) return;
  const given = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  process.stderr.write(`repeat it: ${given.join(" ")} npx vitest run --config ${config} FILE\n`);
  process.exit(1);
}
