import type { MeasuredRow, Result } from "./measure.ts";
import { describeGoal, isMet } from "./row.ts";
import { describeVerdict, medianIn, ratio, toText } from "./table.ts";

/** What the page says beside the figures. */
export interface PageSetting {
  /** In lines: processor, system, Node, disk. */
  readonly machine: string;
  /** The day of the measurement: `2026-11-25`. */
  readonly day: string;
  /** Troupe and every peer, with versions. */
  readonly versions: ReadonlyMap<string, string>;
  readonly rounds: number;
  readonly notMeasured: readonly string[];
}

/** The page of the documentation that the benchmark writes: every figure, beside limits and peers. */
export function renderPage(rows: readonly MeasuredRow[], setting: PageSetting): string {
  const versions = [...setting.versions].map(([name, version]) => `\`${name}\` ${version}`);
  return `# Benchmarks

Written by \`npm run bench -- --write\` on ${setting.day}; nothing here is written by hand.

\`\`\`text
${setting.machine}
\`\`\`

Versions: ${versions.join(", ")}.

- ${describeRounds(setting.rounds)} Every round starts a process of its own; programs warm up before they measure, and tell the median of three
  measurements. Compare ratios, not figures.
- "Limit" is a program written by hand that does the least that the work needs: the same number of waits for the disk.
- The clock of a durable contender stops when whoever looks after a crash would find the result. Databases of peers are there with their tables when it
  starts, and so is the home of Troupe's user; what a run makes for itself it makes while the clock runs.
- Peers come from \`npm run bench:peers\`, each as its own documentation has it fastest at the same durability.

## Beside the limit

${table(
  ["", "what", "unit", "limit", "Troupe", "x limit", "goal", "met"],
  rows.map((row) => beside(row)),
)}
${rows.flatMap(detailOf).join("")}
## Beside peers

${table(["what", "unit", "who", "figure", "x Troupe", "how, and what it does not do"], rows.flatMap(peersOf))}

## What is not here

- DBOS: keeps its state in PostgreSQL, whose server does not come with its package. Temporal: the registry of npm has its client and its
  worker, its server comes from elsewhere. Inngest and Trigger.dev: not tried.
- Messages to a running team: measured beside the limit only. Of the peers above Restate alone takes something like them, as calls of a
  virtual object.
${setting.notMeasured.map((what) => `- ${what}\n`).join("")}`;
}

function describeRounds(rounds: number): string {
  if (rounds === 1) return "All contenders took their turn once.";
  return `Figures are medians of up to ${rounds} rounds in which all contenders take turns, with the least and the most in brackets.`;
}

function beside({ row, results }: MeasuredRow): readonly string[] {
  const raw = medianIn(results, "raw");
  const ours = medianIn(results, "troupe");
  return [
    row.id,
    row.name,
    row.unit,
    withSpread(results.get("raw")),
    withSpread(results.get("troupe")),
    ratio(ours, raw),
    describeGoal(row.goal),
    describeVerdict(isMet(row.goal, ours, raw)),
  ];
}

function peersOf({ row, results }: MeasuredRow): readonly (readonly string[])[] {
  const ours = medianIn(results, "troupe");
  return row.contenders
    .filter(({ name }) => name !== "raw" && name !== "troupe")
    .map(({ name, lacks }) => [
      row.name,
      row.unit,
      name,
      withSpread(results.get(name)),
      ratio(medianIn(results, name), ours),
      lacks ?? "",
    ]);
}

/** What a figure was made of, where it is made of several. */
function detailOf({ row, results }: MeasuredRow): readonly string[] {
  const ours = results.get("troupe");
  if (ours?.status !== "measured" || ours.detail === undefined) return [];
  return [`\n- ${row.name}: ${ours.detail}\n`];
}

function withSpread(result: Result | undefined): string {
  if (result === undefined) return "-";
  if (result.status === "failed") return `none: ${result.reason}`;
  if (result.samples.length === 1) return toText(result.median);
  const least = Math.min(...result.samples);
  const most = Math.max(...result.samples);
  return `${toText(result.median)} (${toText(least)} to ${toText(most)})`;
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}
