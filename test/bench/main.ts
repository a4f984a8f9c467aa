// Measures Troupe beside hand-written limits and, where they are installed, beside its peers.
// Prints a table; never fails because something was slow.
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createAgentRows } from "./agent-rows.ts";
import { describeMachine } from "./machine.ts";
import { type MeasuredRow, measureRow } from "./measure.ts";
import { peersFolder } from "./peers.ts";
import { createRows } from "./rows.ts";
import { renderFailures, renderTable } from "./table.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
  },
});
const root = join(import.meta.dirname, "..", "..");
const folder = join(root, "temp", "bench");
const packageFolder = join(folder, "package");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const part of ["bin", "dist", "package.json"]) {
  cpSync(join(root, part), join(packageFolder, part), { recursive: true });
}

const agents = createAgentRows();
const rows = [...createRows({ packageFolder }), ...agents.rows].filter(
  ({ id }) => values.only.length === 0 || values.only.includes(id),
);
const bench = {
  rounds: values.quick ? 1 : Number(values.rounds),
  folder,
  env: { TROUPE_BENCH_PEERS: peersFolder(), TROUPE_BENCH_PACKAGE: packageFolder },
};
process.stdout.write(`${describeMachine(folder)}\n\n`);
const measured: MeasuredRow[] = [];
for (const row of rows) {
  process.stderr.write(`${row.id} ${row.name}\n`);
  measured.push(await measureRow(row, bench));
}
process.stdout.write(`${renderTable(measured)}\n`);
for (const what of agents.notMeasured) process.stdout.write(`not measured: ${what}\n`);
const failures = renderFailures(measured);
if (failures !== "") process.stdout.write(`\nwithout a figure:\n${failures}`);
if (failures.includes(" troupe: ")) process.exitCode = 1;
rmSync(folder, { recursive: true });
