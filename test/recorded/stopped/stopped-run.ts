import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { factsFileOf } from "./place.ts";
import type { Situation } from "./situations.ts";

/** What `show --json` tells of a run. */
const shownSchema = z.looseObject({
  run: z.looseObject({ id: z.string(), outcome: z.string().nullable() }),
  steps: z.array(z.looseObject({ path: z.string(), execution: z.number() })),
});
const endsSchema = z.array(z.json());
const factsSchema = z.strictObject({
  /** What it came to when nothing stopped it. */
  whole: z.strictObject({
    ends: endsSchema,
    ledger: z.array(z.string()),
    told: z.array(z.string()),
    asked: z.array(z.json()),
  }),
  /** By the names of the stops. */
  stopped: z.record(
    z.string(),
    z.strictObject({ run: z.string(), shown: z.array(shownSchema), asked: z.array(z.json()) }),
  ),
});

/** What `show --json` told of a run. */
export type Shown = z.infer<typeof shownSchema>;
/** What is known of a situation beside the archives of its places. */
export type Facts = z.infer<typeof factsSchema>;

/** The facts of a situation; fails where nobody has recorded it. */
export function factsOf({ name }: Situation): Facts {
  if (!existsSync(factsFileOf(name)))
    throw new Error(`record it: node test/recorded/stopped/record-stopped-program.ts ${name}`);
  const facts = factsSchema.parse(JSON.parse(readFileSync(factsFileOf(name), "utf8")));
  const { ends, ledger } = facts.whole;
  const whole = {
    ...facts.whole,
    ends: endsSchema.parse(JSON.parse(withoutIds(JSON.stringify(ends)))),
    ledger: ledger.map((line) => line.trimEnd()),
  };
  return { ...facts, whole };
}

/** What `show --json` printed. */
export function parseShown(text: string): Shown {
  return shownSchema.parse(JSON.parse(text));
}

/** The lines of the ledger: which call of work.sh began, for which key; without ids of runs and messages. */
export function readLedger(root: string): readonly string[] {
  // Codex writes nowhere but in the project.
  return [root, `${root}/project`].flatMap((place) => linesOf(`${place}/ledger`)).map(withoutIds);
}

/** The name of the call that a line of the ledger is about. */
export function nameOf(line: string): string {
  return line.split(" ")[0] ?? "";
}

/** What calls of work.sh read, each under its name. */
export function readTold(root: string): readonly string[] {
  const text = linesOf(`${root}/told`).join("\n");
  return text
    .split(/^== /m)
    .slice(1)
    .map((part) => withoutIds(part.trim()));
}

/** What runs came to, whatever way they took there; the one at the top first. */
export function endsOf(shown: readonly Shown[]): readonly unknown[] {
  const [top, ...others] = shown.map(({ run, steps }) => {
    const ends = steps.map((step) => comparable({ ...step, attempts: 0 }));
    return { outcome: run.outcome, steps: ends.map((end) => JSON.stringify(end)).toSorted() };
  });
  return [top, ...others.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))];
}

/** A value without what differs from run to run. */
function comparable(value: unknown): unknown {
  return JSON.parse(withoutIds(JSON.stringify(value)));
}

/** A text without what differs from run to run. */
export function withoutIds(text: string): string {
  return text
    .replaceAll(/\b(run|prm|qst|apr|msg)_[0-9a-z]{6}\b/g, "$1_ID")
    .replaceAll(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, "ULID")
    .replaceAll(/span_[0-9a-f]{32}/g, "span_HASH")
    .replaceAll(/\b[0-9a-f]{40}\b/g, "COMMIT")
    .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "TIME")
    .replaceAll(/"(durationMs|waitedMs|seq|startedAt|endedAt|at)":\d+(\.\d+)?/g, '"$1":0');
}

function linesOf(file: string): readonly string[] {
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => line.trimEnd())
    : [];
}
