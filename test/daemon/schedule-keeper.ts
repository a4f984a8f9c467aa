import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openBackgroundRuns } from "../../src/app/background/background-runs.ts";
import { createMachineParts } from "../../src/app/machine/machine.ts";
import type { Schedule, ScheduledStart } from "../../src/app/schedules/schedule.ts";
import { readSchedules } from "../../src/app/schedules/schedule-list.ts";
import type { ScheduleWish } from "../../src/control/schedule-wish.ts";
import { createDaemonLog } from "../../src/daemon/daemon-log.ts";
import { HeldRuns } from "../../src/daemon/held-runs.ts";
import { KeptSchedules } from "../../src/daemon/kept-schedules.ts";
import { createManualClock, type ManualClock } from "../../src/testing/manual-clock.ts";
import { createHome, type DaemonHome } from "./daemon-home.ts";

/** One program that is done at once. */
export const SHORT = `version: "1.0"
name: short
pattern: dag
agents: [{ id: coder, backend: command, command: [cat] }]
steps: [{ id: code, agent: coder, prompt: "{{task}}" }]
`;

/** One agent that asks a person before it is done. */
export const ASKING = `version: "1.0"
name: asking
pattern: dag
agents:
  - id: coder
    backend: script
    script: [{ do: [{ ask: "Which database?" }], say: "DONE: chosen" }]
steps: [{ id: code, agent: coder, prompt: "{{task}}" }]
`;

/** What keeps schedules in a daemon, on a clock that the test moves. */
export interface Keeper {
  readonly home: DaemonHome;
  readonly clock: ManualClock;
  readonly kept: KeptSchedules;
  readonly held: HeldRuns;
  readonly log: readonly string[];
}

/** What is kept of an earlier one: its home and its clock. */
type Before = Pick<Keeper, "home" | "clock">;

/** A keeper of schedules with real runs; the test ends it. */
export async function createKeeper(before?: Before): Promise<Keeper> {
  const { home, clock } = before ?? { home: createHome(), clock: createManualClock() };
  const lines: string[] = [];
  const log = createDaemonLog(clock, (line) => lines.push(line.slice(25).trimEnd()));
  const background = openBackgroundRuns(home.files.background);
  const held = new HeldRuns({ background, log, onChange: () => {} });
  const kept = new KeptSchedules({
    ...{ file: home.files.schedules, clock, log, env: home.env, background, held },
    parts: createMachineParts(),
    onChange: () => {},
  });
  onTestFinished(async () => {
    await kept.close();
    await held.drain();
  });
  await kept.begin();
  return { home, clock, kept, held, log: lines };
}

/** Writes a workflow into the project of a home; its path. */
export function writeFlow({ cwd }: DaemonHome, text: string, file = "flow.yaml"): string {
  const path = join(cwd, file);
  writeFileSync(path, text);
  return path;
}

/** A wish for a workflow of a home, every ten minutes unless told. */
export function wishFor(
  home: DaemonHome,
  text: string,
  differences: Partial<ScheduleWish> = {},
): ScheduleWish {
  return {
    name: "flow",
    cwd: home.cwd,
    project: home.cwd,
    troupeDirectory: join(home.cwd, ".troupe"),
    rhythm: { kind: "every", every: "10m", since: "2026-01-01T00:00:00.000Z" },
    request: { file: writeFlow(home, text) },
    start: { task: "it", instance: "flow" },
    ...differences,
  };
}

/** The schedules of a home as they are on the disk. */
export function stored({ files }: DaemonHome): readonly Schedule[] {
  return readSchedules(files.schedules);
}

/** What was decided about the times of the only schedule. */
export function startsOf(home: DaemonHome): readonly ScheduledStart[] {
  return stored(home)[0]?.starts ?? [];
}

/** Changes what stands in the list, as it would be after a death in between. */
export function editStored({ files }: DaemonHome, edit: (schedule: Schedule) => Schedule): void {
  const { v, schedules } = JSON.parse(readFileSync(files.schedules, "utf8"));
  const text = JSON.stringify({ v, schedules: schedules.map(edit) });
  writeFileSync(files.schedules, text, { mode: 0o600 });
}
