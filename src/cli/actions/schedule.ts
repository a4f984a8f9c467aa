import { resolve } from "node:path";
import { changeSchedule, scheduleInDaemon } from "../../app/background/ask-daemon.ts";
import { daemonFiles } from "../../app/background/daemon-files.ts";
import { findSchedule, readSchedules } from "../../app/schedules/schedule-list.ts";
import type { SCHEDULE_CHANGES, ScheduleChange } from "../../control/daemon-protocol.ts";
import { systemClock } from "../../foundation/clock.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf, Invocation, OptionsOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { SCHEDULE_ACTIONS } from "../commands/parts/schedule-actions.ts";
import type { scheduleCommand } from "../commands/schedule.ts";
import { tellConfig } from "../config/tell-config.ts";
import { prepareRun } from "../prepare/prepare-run.ts";
import { toScheduleEntry } from "../schedules/schedule-entry.ts";
import { keptLine, scheduleLines, scheduleTable } from "../schedules/schedule-lines.ts";
import { toWish } from "../schedules/to-wish.ts";
import { writeLines } from "../terminal/write-lines.ts";

type ScheduleInvocation = Invocation<OptionsOf<typeof scheduleCommand>>;

/** `troupe schedule`: what the daemon is to run again and again (DMN-2). */
export const scheduleAction: ActionOf<typeof scheduleCommand> = (invocation) => {
  const [what = "", name] = invocation.args;
  if (!isAction(what)) return keep(invocation);
  assertNoFile(what, invocation);
  if (what === "list") return list(name, invocation);
  if (name === undefined)
    throw usageInvalid({
      problem: `schedule ${what} needs the name of a schedule`,
      hint: "look which there are: troupe schedule list",
    });
  return what === "show" ? show(name, invocation) : change(name, what, invocation);
};

function isAction(word: string): word is (typeof SCHEDULE_ACTIONS)[number] {
  return SCHEDULE_ACTIONS.some((action) => action === word);
}

/** Raises USAGE_INVALID for options that go with a file. */
function assertNoFile(action: string, { options }: ScheduleInvocation): void {
  const { json: _, ...others } = options;
  const given = Object.entries(others).find(([, value]) => value !== undefined);
  if (given === undefined) return;
  const flag =
    given[0] === "i" ? "-i" : `--${given[0].replace(/[A-Z]/g, (at) => `-${at.toLowerCase()}`)}`;
  throw usageInvalid({
    problem: `${flag} goes with a file, not with schedule ${action}`,
    hint: `a file of that name is given as a path: troupe schedule ./${action}`,
  });
}

async function keep(invocation: ScheduleInvocation): Promise<number> {
  const { io, settings, options, args } = invocation;
  if (args[0] === "-")
    throw usageInvalid({ problem: "a schedule reads its file at every start, so it needs one" });
  const machine = await openMachine(invocation);
  const place = { project: machine.project, nowMs: machine.clock.now() };
  // What is wrong about its times is told before its file is looked at.
  const wishOf = toWish(options, place);
  const config = await tellConfig(machine, invocation);
  if (config === undefined) return EXIT.usage;
  const prepared = await prepareRun(machine, invocation);
  if (prepared === undefined) return EXIT.usage;
  const wish = wishOf(prepared, (path) => resolve(settings.cwd, path));
  await scheduleInDaemon(machine, { wish });
  const kept = findSchedule(readSchedules(daemonFiles(io.env).schedules), wish.name);
  if (options.json) writeJson(invocation, { schedule: toScheduleEntry(kept) });
  else if (settings.isQuiet) io.stdout.write(`${wish.name}\n`);
  else
    await writeLines(invocation, [
      keptLine(kept, place.nowMs),
      `  look at it: ${TROUPE} schedule show ${wish.name}`,
      `  let it go on after a restart of this machine: ${TROUPE} doctor --at-login`,
    ]);
  return EXIT.completed;
}

async function list(name: string | undefined, invocation: ScheduleInvocation): Promise<number> {
  if (name !== undefined)
    throw usageInvalid({
      problem: "schedule list takes no name",
      hint: `troupe schedule show ${name}`,
    });
  const schedules = readSchedules(daemonFiles(invocation.io.env).schedules);
  if (invocation.options.json) writeJson(invocation, { schedules: schedules.map(toScheduleEntry) });
  else
    await writeLines(
      invocation,
      scheduleTable(schedules, { settings: invocation.settings, nowMs: systemClock.now() }),
    );
  return EXIT.completed;
}

async function show(name: string, invocation: ScheduleInvocation): Promise<number> {
  const found = findSchedule(readSchedules(daemonFiles(invocation.io.env).schedules), name);
  const { settings } = invocation;
  if (invocation.options.json) writeJson(invocation, { schedule: toScheduleEntry(found) });
  else await writeLines(invocation, scheduleLines(found, { settings, nowMs: systemClock.now() }));
  return EXIT.completed;
}

const CHANGED: { readonly [change in ScheduleChange]: string } = {
  pause: "starts nothing until it is resumed",
  resume: "goes on, with its file as it is now",
  remove: "is removed",
};

async function change(
  name: string,
  asked: (typeof SCHEDULE_CHANGES)[number],
  invocation: ScheduleInvocation,
): Promise<number> {
  const { io, settings, options } = invocation;
  // Whoever mistypes a name needs no daemon for it.
  findSchedule(readSchedules(daemonFiles(io.env).schedules), name);
  await changeSchedule({ env: io.env, clock: systemClock }, { name, change: asked });
  if (options.json) writeJson(invocation, { name, change: asked });
  else if (!settings.isQuiet) io.stdout.write(`${name} ${CHANGED[asked]}\n`);
  return EXIT.completed;
}

function writeJson({ io }: ScheduleInvocation, members: object): void {
  io.stdout.write(`${JSON.stringify({ v: 1, ...members })}\n`);
}
