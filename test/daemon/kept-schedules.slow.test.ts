import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readBackgroundRuns } from "../../src/app/background/background-runs.ts";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { grantTrust, revokeTrust } from "../../src/app/machine/trust/trust-store.ts";
import { commandRun } from "../../src/app/run/commands/command-run.ts";
import { readListing } from "../../src/app/runs/run-heads.ts";
import { withStart } from "../../src/app/schedules/schedule.ts";
import { sha256 } from "../../src/foundation/hash.ts";
import { createHome, type DaemonHome } from "./daemon-home.ts";
import {
  ASKING,
  createKeeper,
  editStored,
  SHORT,
  startsOf,
  stored,
  wishFor,
  writeFlow,
} from "./schedule-keeper.ts";
import { STUBBORN } from "./workflows.ts";

const TEN_MINUTES = 600_000;

// Real programs on a machine that may be busy.
const PATIENTLY = { timeout: 15_000 } as const;

test("a schedule starts a run at each of its times, which says by which schedule and for which time [DMN-2.carried-out]", async () => {
  const { home, clock, kept } = await createKeeper();
  await kept.add(wishFor(home, SHORT));
  await clock.advance(TEN_MINUTES - 1);
  expect(startsOf(home)).toEqual([]);
  await clock.advance(1);
  await expect.poll(() => startsOf(home), PATIENTLY).toMatchObject([{ status: "started" }]);
  const [first] = startsOf(home);
  const run = first?.status === "started" ? first.run : "";
  await expect
    .poll(() => listing(home, run), PATIENTLY)
    .toMatchObject({
      state: "completed",
      workflow: "short",
      instance: "flow",
      schedule: { name: "flow", due: "2026-01-01T00:10:00.000Z" },
    });
  await clock.advance(TEN_MINUTES);
  await expect
    .poll(() => startsOf(home), PATIENTLY)
    .toMatchObject([
      { due: "2026-01-01T00:10:00.000Z", missed: 0, status: "started", run },
      { due: "2026-01-01T00:20:00.000Z", missed: 0, status: "started" },
    ]);
});

test("while a run is not over no second one of its schedule is started, and that is told [DMN-2.one-at-once]", async () => {
  const { home, clock, kept, log } = await createKeeper();
  await kept.add(wishFor(home, STUBBORN));
  await clock.advance(TEN_MINUTES);
  await expect.poll(() => startsOf(home), PATIENTLY).toMatchObject([{ status: "started" }]);
  const [first] = startsOf(home);
  const run = first?.status === "started" ? first.run : "";
  await clock.advance(TEN_MINUTES);
  await expect
    .poll(() => startsOf(home), PATIENTLY)
    .toMatchObject([
      { status: "started", run },
      { due: "2026-01-01T00:20:00.000Z", status: "skipped", run },
    ]);
  expect(log.join("\n")).toContain(
    `schedule flow, 2026-01-01T00:20:00.000Z: skipped, as ${run} is not over`,
  );
  await commandRun(machineOf(home), run, { command: { kind: "cancel", reason: "enough" } });
  await expect.poll(() => listing(home, run), PATIENTLY).toMatchObject({ state: "cancelled" });
  await clock.advance(TEN_MINUTES);
  await expect
    .poll(() => startsOf(home).at(-1), PATIENTLY)
    .toMatchObject({
      due: "2026-01-01T00:30:00.000Z",
      status: "started",
    });
  expect(startsOf(home).at(-1)).not.toMatchObject({ run });
});

test("a run that waits for a person counts as not over [DMN-2.one-at-once]", async () => {
  const { home, clock, kept } = await createKeeper();
  await kept.add(wishFor(home, ASKING));
  await clock.advance(TEN_MINUTES);
  await expect.poll(() => startsOf(home), PATIENTLY).toMatchObject([{ status: "started" }]);
  const [first] = startsOf(home);
  const run = first?.status === "started" ? first.run : "";
  await expect.poll(() => listing(home, run), PATIENTLY).toMatchObject({ needs: 1 });
  await clock.advance(TEN_MINUTES);
  await expect
    .poll(() => startsOf(home).at(-1), PATIENTLY)
    .toMatchObject({ status: "skipped", run });
});

test("of the times that passed in sleep the last is made up for, once, and the others are told [DMN-2.made-up]", async () => {
  const { home, clock, kept } = await createKeeper();
  await kept.add(wishFor(home, SHORT));
  // The clock of the wall goes on, those of timers stand still.
  clock.jump(4 * TEN_MINUTES + 60_000);
  await clock.advance(30_000);
  const madeUp = {
    due: "2026-01-01T00:40:00.000Z",
    at: "2026-01-01T00:41:30.000Z",
    missed: 3,
    status: "started",
  };
  await expect.poll(() => startsOf(home), PATIENTLY).toMatchObject([madeUp]);
  await over(home);
  await clock.advance(TEN_MINUTES - 91_000);
  expect(startsOf(home)).toHaveLength(1);
  await clock.advance(1000);
  await expect
    .poll(() => startsOf(home), PATIENTLY)
    .toMatchObject([madeUp, { due: "2026-01-01T00:50:00.000Z", missed: 0, status: "started" }]);
});

test("a time that passed while no daemon ran is made up for by the next one [DMN-2.made-up]", async () => {
  const before = await createKeeper();
  await before.kept.add(wishFor(before.home, SHORT));
  await before.kept.close();
  await before.clock.advance(2 * TEN_MINUTES + 1000);
  expect(startsOf(before.home)).toEqual([]);
  const { home } = await createKeeper(before);
  expect(startsOf(home)).toMatchObject([
    { due: "2026-01-01T00:20:00.000Z", missed: 1, status: "started" },
  ]);
});

test("a clock that is set back starts nothing a second time [DMN-2.once]", async () => {
  const { home, clock, kept } = await createKeeper();
  await kept.add(wishFor(home, SHORT));
  await clock.advance(TEN_MINUTES);
  await expect.poll(() => startsOf(home), PATIENTLY).toMatchObject([{ status: "started" }]);
  await over(home);
  clock.jump(-TEN_MINUTES);
  await clock.advance(TEN_MINUTES);
  expect(startsOf(home)).toHaveLength(1);
});

test("what a daemon had decided when it died is started once, under the id that it had given [DMN-2.once]", async () => {
  const before = await createKeeper();
  await before.kept.add(wishFor(before.home, SHORT));
  await before.kept.close();
  const decided = {
    ...{ due: "2026-01-01T00:10:00.000Z", at: "2026-01-01T00:10:00.000Z", missed: 0 },
    ...{ status: "starting" as const, run: "run_abc123" },
  };
  editStored(before.home, (schedule) => withStart(schedule, decided));
  const { home, kept } = await createKeeper(before);
  expect(startsOf(home)).toEqual([{ ...decided, status: "started" }]);
  await expect
    .poll(() => listing(home, "run_abc123"), PATIENTLY)
    .toMatchObject({ state: "completed" });
  // It died again before it could write down that it had started it.
  await kept.close();
  editStored(home, (schedule) => withStart(schedule, decided));
  await createKeeper(before);
  expect(startsOf(home)).toEqual([{ ...decided, status: "started" }]);
  expect(machineOf(home).store.list()).toEqual(["run_abc123"]);
});

test("a run whose journal was made and not begun when the daemon died is begun by the next [DMN-2.once]", async () => {
  const before = await createKeeper();
  await before.kept.add(wishFor(before.home, SHORT));
  await before.kept.close();
  const decided = {
    ...{ due: "2026-01-01T00:10:00.000Z", at: "2026-01-01T00:10:00.000Z", missed: 0 },
    ...{ status: "starting" as const, run: "run_abc123" },
  };
  editStored(before.home, (schedule) => withStart(schedule, decided));
  machineOf(before.home).store.create("run_abc123").close();
  const { home } = await createKeeper(before);
  expect(startsOf(home)).toEqual([{ ...decided, status: "started" }]);
  await expect
    .poll(() => listing(home, "run_abc123"), PATIENTLY)
    .toMatchObject({ state: "completed" });
});

test("a schedule whose file has changed is held and told until a person lets it go on [DMN-2.held]", async () => {
  const { home, clock, kept, log } = await createKeeper();
  await kept.add(wishFor(home, SHORT));
  writeFlow(home, `${SHORT}# by somebody\n`);
  await clock.advance(TEN_MINUTES);
  const held = { status: "held", reason: "its file has changed since it was let go on" };
  await expect.poll(() => startsOf(home), PATIENTLY).toMatchObject([held]);
  expect(log.join("\n")).toContain("held: its file has changed");
  await kept.change("flow", "resume");
  await clock.advance(TEN_MINUTES);
  await expect.poll(() => startsOf(home), PATIENTLY).toMatchObject([held, { status: "started" }]);
});

test("a schedule whose project is trusted no more is held, and goes on once it is trusted again [DMN-2.held]", async () => {
  const { home, clock, kept } = await createKeeper();
  const trusted = {
    directory: home.cwd,
    hash: sha256(""),
    trustedAt: "2026-01-01T00:00:00.000Z",
  };
  grantTrust(home.env, trusted);
  await kept.add(wishFor(home, SHORT));
  revokeTrust(home.env, home.cwd);
  await clock.advance(TEN_MINUTES);
  const held = { status: "held", reason: "its project is trusted no more" };
  await expect.poll(() => startsOf(home), PATIENTLY).toMatchObject([held]);
  grantTrust(home.env, trusted);
  await clock.advance(TEN_MINUTES);
  await expect.poll(() => startsOf(home), PATIENTLY).toMatchObject([held, { status: "started" }]);
});

test("a schedule is held when the configuration of its project is not trusted as it has become [DMN-2.held]", async () => {
  const { home, clock, kept } = await createKeeper();
  await kept.add(wishFor(home, SHORT));
  const wanting = 'permissions: { allow: ["Bash"] }\n';
  writeFileSync(join(home.cwd, ".troupe/config.yaml"), wanting, { mode: 0o600 });
  await clock.advance(TEN_MINUTES);
  await expect
    .poll(() => startsOf(home), PATIENTLY)
    .toMatchObject([{ status: "held", reason: ".troupe/config.yaml is not trusted as it is now" }]);
});

test("a start that cannot be is told with its reason, and the next time is tried again [DMN-2.carried-out]", async () => {
  const { home, clock, kept } = await createKeeper();
  const wish = wishFor(home, SHORT);
  await kept.add(wish);
  rmSync(wish.request.file);
  await clock.advance(TEN_MINUTES);
  await expect.poll(() => startsOf(home), PATIENTLY).toMatchObject([{ status: "failed" }]);
  expect(JSON.stringify(startsOf(home))).toContain("flow.yaml");
  writeFlow(home, SHORT);
  await clock.advance(TEN_MINUTES);
  await expect.poll(() => startsOf(home).at(-1), PATIENTLY).toMatchObject({ status: "started" });
});

test("a schedule whose directory is gone says so at each of its times [DMN-2.carried-out]", async () => {
  const { home, clock, kept } = await createKeeper();
  const cwd = join(home.cwd, "below");
  mkdirSync(cwd);
  await kept.add(wishFor(home, SHORT, { cwd }));
  rmSync(cwd, { recursive: true });
  await clock.advance(TEN_MINUTES);
  await expect.poll(() => startsOf(home), PATIENTLY).toMatchObject([{ status: "failed" }]);
  await expect(kept.change("flow", "resume")).rejects.toMatchObject({
    code: "SCHEDULE_PROJECT_MISSING",
  });
});

test("a paused schedule lets its times pass, and goes on with the next one [DMN-2.pause]", async () => {
  const { home, clock, kept } = await createKeeper();
  await kept.add(wishFor(home, SHORT));
  await kept.change("flow", "pause");
  expect(kept.isWaiting).toBe(false);
  await clock.advance(3 * TEN_MINUTES + 1000);
  await kept.change("flow", "resume");
  expect(startsOf(home)).toEqual([]);
  await clock.advance(TEN_MINUTES);
  await expect
    .poll(() => startsOf(home), PATIENTLY)
    .toMatchObject([{ due: "2026-01-01T00:40:00.000Z", missed: 0, status: "started" }]);
});

test("a removed schedule starts nothing more, and its name is free [DMN-2.remove]", async () => {
  const { home, clock, kept } = await createKeeper();
  const wish = wishFor(home, SHORT);
  await kept.add(wish);
  await expect(kept.add(wish)).rejects.toMatchObject({ code: "SCHEDULE_EXISTS" });
  await kept.change("flow", "remove");
  await clock.advance(TEN_MINUTES);
  expect(stored(home)).toEqual([]);
  await expect(kept.change("flow", "pause")).rejects.toMatchObject({ code: "SCHEDULE_NOT_FOUND" });
  await kept.add(wish);
});

test("what is given to the runs is checked against the file before a schedule is kept [DMN-2.inputs]", async () => {
  const { home, kept } = await createKeeper();
  const { task: _, ...start } = wishFor(home, SHORT).start;
  const wish = wishFor(home, SHORT, { start });
  await expect(kept.add(wish)).rejects.toMatchObject({ code: "SCHEDULE_FILE_INVALID" });
  await expect(
    kept.add(wishFor(home, SHORT, { start: { ...start, task: "x", params: { no: 1 } } })),
  ).rejects.toMatchObject({ code: "SCHEDULE_FILE_INVALID" });
  expect(stored(home)).toEqual([]);
});

test("the list of schedules is for its user only, and one that others may write to starts nothing [DMN-2.state]", async () => {
  const before = await createKeeper();
  const { home, kept } = before;
  const mask = process.umask(0);
  try {
    await kept.add(wishFor(home, SHORT));
  } finally {
    process.umask(mask);
  }
  expect(statSync(home.files.schedules).mode & 0o777).toBe(0o600);
  await kept.close();
  chmodSync(home.files.schedules, 0o622);
  const next = await createKeeper(before);
  await next.clock.advance(TEN_MINUTES);
  expect(readBackgroundRuns(home.files.background)).toEqual([]);
  expect(next.log.join("\n")).toContain("no schedule is carried out: SCHEDULES_UNREADABLE");
});

test.each([
  ["of a newer troupe", '{"v":2,"schedules":[]}', "it is of a newer troupe: format 2"],
  ["damaged", "{", "it is no JSON"],
  ["of another form", '{"v":1}', "it has another form"],
])("a list that is %s is told and left as it is [DMN-2.state]", async (_title, text, problem) => {
  const home = createHome();
  writeFileSync(home.files.schedules, text, { mode: 0o600 });
  const { createManualClock } = await import("../../src/testing/manual-clock.ts");
  const { kept } = await createKeeper({ home, clock: createManualClock() });
  await expect(kept.add(wishFor(home, SHORT))).rejects.toMatchObject({
    code: "SCHEDULES_UNREADABLE",
    message: expect.stringContaining(problem),
  });
  expect(readFileSync(home.files.schedules, "utf8")).toBe(text);
});

/** Waits until the last run of the only schedule is over. */
async function over(home: DaemonHome): Promise<void> {
  const last = startsOf(home).at(-1);
  const run = last?.status === "started" ? last.run : "";
  await expect.poll(() => listing(home, run)?.outcome, PATIENTLY).toBe("completed");
}

function machineOf({ cwd, env }: DaemonHome) {
  return createMachineAt({ cwd, env });
}

function listing(home: DaemonHome, run: string) {
  const { store, isGone } = machineOf(home);
  return readListing(store, run, isGone);
}
