import { parseCassette } from "./load-cassette.ts";

/** A cassette as a run's definition keeps it. */
export interface CassetteText {
  readonly file: string;
  readonly source: string;
}

const SEPARATOR = " > ";

/** How a cassette names a run below: the operations that lead to it, from the top. */
export function runKey(ops: readonly string[]): string {
  return ops.join(SEPARATOR);
}

/** The cassette of the run that an operation starts; the same one when that has no turns of its own there. */
export function cassetteBelow(cassette: CassetteText, op: string): CassetteText {
  const { file, source } = cassette;
  // Whoever records does that once; cassettes written by hand rarely name runs, and are not read for nothing.
  if (!source.includes(op)) return cassette;
  const { version, runs = {} } = parseCassette(source, file);
  if (!Object.hasOwn(runs, op)) return cassette;
  const prefix = runKey([op, ""]);
  const below = Object.entries(runs).flatMap(([key, turns]) =>
    key.startsWith(prefix) ? [[key.slice(prefix.length), turns] as const] : [],
  );
  const own = {
    version,
    ...runs[op],
    ...(below.length === 0 ? {} : { runs: Object.fromEntries(below) }),
  };
  return { file, source: JSON.stringify(own) };
}
