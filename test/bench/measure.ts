import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { z } from "zod";
import { medianOf } from "./median.ts";
import type { Contender, Row } from "./row.ts";

/** A row with the median figure of each contender, in the order of the row; a reason where there is none. */
export interface MeasuredRow {
  readonly row: Row;
  readonly results: ReadonlyMap<string, Result>;
}

export type Result =
  | {
      readonly status: "measured";
      readonly median: number;
      readonly samples: readonly number[];
      /** What its last figure was made of. */
      readonly detail?: string | undefined;
    }
  | { readonly status: "failed"; readonly reason: string };

export interface Bench {
  readonly rounds: number;
  /** Where programs put their files; on the disk of the project, so that fsync costs what it costs there. */
  readonly folder: string;
  readonly env: { readonly [name: string]: string };
}

type Sample = z.infer<typeof printed>;

const programs = join(import.meta.dirname, "programs");
const printed = z.object({ figure: z.number(), detail: z.string().optional() });

/** Runs the contenders of a row in turns, so that a busy moment of the machine meets all of them. */
export async function measureRow(row: Row, bench: Bench): Promise<MeasuredRow> {
  const samples = new Map<string, Sample[]>(row.contenders.map(({ name }) => [name, []]));
  const failures = new Map<string, string>();
  const rounds = Math.min(bench.rounds, row.maxRounds ?? bench.rounds);
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of row.contenders) {
      if (failures.has(contender.name)) continue;
      const sample = await runOnce(contender, bench);
      if (typeof sample === "string") failures.set(contender.name, sample);
      else samples.get(contender.name)?.push(sample);
    }
  }
  const results = row.contenders.map(({ name }): [string, Result] => {
    const reason = failures.get(name);
    if (reason !== undefined) return [name, { status: "failed", reason }];
    const taken = samples.get(name) ?? [];
    const figures = taken.map(({ figure }) => figure);
    const { detail } = taken.at(-1) ?? {};
    return [name, { status: "measured", median: medianOf(figures), samples: figures, detail }];
  });
  return { row, results: new Map(results) };
}

/** The sample, or why there is none. */
async function runOnce(contender: Contender, bench: Bench): Promise<Sample | string> {
  const startedMs = performance.now();
  const program = resolve(programs, contender.program);
  const child = spawn(process.execPath, [program, ...(contender.args ?? [])], {
    cwd: bench.folder,
    env: { ...process.env, ...bench.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = await once(child, "close");
  const durationMs = performance.now() - startedMs;
  if (code !== 0) return `exit ${String(code)}: ${lastLines(stderr)}`;
  if (contender.reading === "process-ms") return { figure: durationMs };
  return readFigure(stdout);
}

function readFigure(stdout: string): Sample | string {
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  try {
    return printed.parse(JSON.parse(line));
  } catch {
    return `no figure in its last line: ${line}`;
  }
}

function lastLines(text: string): string {
  const errorLine = text.split("\n").find((line) => /error/i.test(line));
  return (errorLine ?? text.trim().split("\n").at(-1) ?? "").trim();
}
