import type { Row } from "./row.ts";

const grown = [
  ["loop", "loop of"],
  ["broadcasts", "broadcasts:"],
  ["agents", "agents in a loop:"],
] as const;

/** Durable runs beside others that are ten times as long: the most of time, memory and bytes. */
export function growthRows(isLong: boolean): readonly Row[] {
  const row = (kind: string, title: string, count: number): Row => ({
    id: "PERF-15",
    name: `${title} ${count.toLocaleString("en")} and ten times that`,
    unit: "times",
    goal: { kind: "at-most", value: 12 },
    maxRounds: 1,
    contenders: [{ name: "troupe", program: "growth/times.ts", args: [kind, `${count}`] }],
  });
  return grown.flatMap(([kind, title]) => [
    row(kind, title, kind === "agents" ? 100 : 1000),
    ...(isLong ? [row(kind, title, kind === "agents" ? 1000 : 10_000)] : []),
  ]);
}
