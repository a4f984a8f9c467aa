// Plays published laws with simulated participants, and says which hold. Ends with 1 when one does not.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createLab } from "./create-lab.ts";
import { drawPlot } from "./draw-plot.ts";
import { EXPERIMENTS } from "./experiments.ts";
import { type Carried, describeClaim, renderPage } from "./page.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "troupe" },
    only: { type: "string", multiple: true, default: [] },
    // A share of all tries, to see whether it works.
    share: { type: "string", default: "1" },
    // Into docs/lab.md and docs/lab/.
    write: { type: "boolean", default: false },
  },
});
const { seed, only, write } = values;
const share = Number(values.share);
const known = EXPERIMENTS.map(({ name }) => name);
const unknown = only.filter((name) => !known.includes(name));
if (unknown.length > 0) refuse(`there is no ${unknown.join(", ")}; known: ${known.join(", ")}`);
if (!(share > 0 && share <= 1)) refuse("--share is above 0 and at most 1");
if (write && (only.length > 0 || share < 1))
  refuse("--write writes the whole page: leave out --only and --share");

const lab = createLab(seed, share);
const carried: Carried[] = [];
process.stdout.write("Simulation: no model is asked.\n");
for (const experiment of EXPERIMENTS.filter(
  ({ name }) => only.length === 0 || only.includes(name),
)) {
  process.stdout.write(`\n${experiment.name}: ${experiment.title}\n`);
  const finding = await experiment.run(lab);
  for (const claim of finding.claims) process.stdout.write(`  ${describeClaim(claim)}\n`);
  carried.push({ experiment, finding });
}
if (write) writePage();
if (carried.some(({ finding }) => finding.claims.some(({ holds }) => !holds))) process.exitCode = 1;

function writePage(): void {
  const docs = join(import.meta.dirname, "..", "..", "docs");
  mkdirSync(join(docs, "lab"), { recursive: true });
  for (const { experiment, finding } of carried)
    writeFileSync(join(docs, "lab", `${experiment.name}.svg`), drawPlot(finding.plot));
  writeFileSync(join(docs, "lab.md"), renderPage(carried, seed));
}

function refuse(problem: string): never {
  process.stderr.write(`lab: ${problem}\n`);
  process.exit(2);
}
