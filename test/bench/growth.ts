import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { z } from "zod";

const costs = z.object({ ms: z.number(), mb: z.number(), bytes: z.number() });

/** What a run took: time, most memory of its process, files. */
export type RunCosts = z.infer<typeof costs>;

/** How many times each cost grows when the run gets ten times as long. */
export interface Growth {
  readonly few: RunCosts;
  readonly many: RunCosts;
  readonly times: RunCosts;
}

/** Carries out a run of `count` and one of ten times as many, each in a process of its own. */
export function measureGrowth(kind: string, count: number): Growth {
  const few = carryOut(kind, count);
  const many = carryOut(kind, count * 10);
  const times = { ms: many.ms / few.ms, mb: many.mb / few.mb, bytes: many.bytes / few.bytes };
  return { few, many, times };
}

function carryOut(kind: string, count: number): RunCosts {
  const program = join(import.meta.dirname, "programs", "growth", "run.ts");
  const output = execFileSync(process.execPath, [program, kind, `${count}`], { encoding: "utf8" });
  return costs.parse(JSON.parse(output.trimEnd().split("\n").at(-1) ?? ""));
}
