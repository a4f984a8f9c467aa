// Measures Troupe beside hand-written limits and, where they are installed, beside its peers.
// Prints a table; never fails because something was slow.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { createAgentRows } from "./agent-rows.ts";
import { createLoopRows } from "./loop-rows.ts";
import { describeMachine } from "./machine.ts";
import { type MeasuredRow, measureRow } from "./measure.ts";
import { renderPage } from "./page.ts";
import { isInstalled, peersFolder, peerVersions } from "./peers.ts";
import { createRows } from "./rows.ts";
import { renderFailures, renderTable } from "./table.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    // With what takes minutes.
    long: { type: "boolean", default: false },
    // Into docs/benchmarks.md.
    write: { type: "boolean", default: false },
  },
});
const missing = [...peerVersions().keys()].filter((name) => !isInstalled(name));
if (values.write) refuseHalfAPage();
const root = join(import.meta.dirname, "..", "..");
const folder = join(root, "temp", "bench");
const packageFolder = join(folder, "package");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const part of ["bin", "dist", "package.json"]) {
  cpSync(join(root, part), join(packageFolder, part), { recursive: true });
}

const agents = createAgentRows();
const rows = [
  ...createRows({ packageFolder, isLong: values.long, isQuick: values.quick }),
  ...createLoopRows(),
  ...agents.rows,
].filter(({ id }) => values.only.length === 0 || values.only.includes(id));
const bench = {
  rounds: values.quick ? 1 : Number(values.rounds),
  folder,
  env: { TROUPE_BENCH_PEERS: peersFolder(), TROUPE_BENCH_PACKAGE: packageFolder },
};
const machine = describeMachine(folder);
const notMeasured = [
  ...agents.notMeasured,
  ...missing.map((name) => `${name}: not installed; npm run bench:peers brings it`),
];
process.stdout.write(`${machine}\n\n`);
const measured: MeasuredRow[] = [];
for (const row of rows) {
  process.stderr.write(`${row.id} ${row.name}\n`);
  measured.push(await measureRow(row, bench));
}
process.stdout.write(`${renderTable(measured)}\n`);
for (const what of notMeasured) process.stdout.write(`not measured: ${what}\n`);
const failures = renderFailures(measured);
if (failures !== "") process.stdout.write(`\nwithout a figure:\n${failures}`);
if (failures.includes(" troupe: ")) process.exitCode = 1;
if (values.write) writePage();
rmSync(folder, { recursive: true });

/** What is published has every row and every peer. */
function refuseHalfAPage(): void {
  if (!values.quick && values.only.length === 0 && missing.length === 0) return;
  process.stderr.write(
    `--write wants every row, without --quick and --only, and every peer: npm run bench:peers\n`,
  );
  process.exit(2);
}

function writePage(): void {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  const git = ["rev-parse", "--short=12", "HEAD"];
  const commit = execFileSync("git", git, { cwd: root, encoding: "utf8" }).trim();
  const versions = new Map([["troupe", `${version} (${commit})`], ...peerVersions()]);
  const day = new Date().toISOString().slice(0, "2026-11-25".length);
  const setting = { machine, day, versions, rounds: bench.rounds, notMeasured: agents.notMeasured };
  writeFileSync(join(root, "docs", "benchmarks.md"), renderPage(measured, setting));
}
