import { resolve } from "node:path";
import { createMachineAt, type Machine } from "../../app/machine/machine.ts";
import { writeTextFile } from "../../app/machine/place/write-text-file.ts";
import { keepDueTrajectories } from "../../app/trail/keep-trajectory.ts";
import { type FoundTrajectory, searchTrajectories } from "../../app/trail/search-trajectories.ts";
import {
  findTrajectory,
  readTrajectories,
  type TrajectoryFile,
} from "../../app/trail/trajectory-files.ts";
import { trajectoryDirectories } from "../../app/trail/trajectory-place.ts";
import { trajectoryText } from "../../app/trail/trajectory-text.ts";
import type { Trajectory } from "../../contracts/trajectory.ts";
import { elapsedMs, formatDuration } from "../../foundation/duration.ts";
import type { Json } from "../../foundation/json.ts";
import { toPrintable, toPrintableLines } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf, Invocation, OptionsOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { lookAtMachine } from "../command/open-machine.ts";
import { toFlag } from "../command/option.ts";
import { readLimit } from "../command/read-count.ts";
import { reportWarning } from "../command/report-error.ts";
import type { trailCommand } from "../commands/trail.ts";
import { inputPath } from "../prepare/read-input.ts";
import { fitTable } from "../terminal/fit-table.ts";
import type { Settings } from "../terminal/settings.ts";
import { writeLines } from "../terminal/write-lines.ts";

type TrailInvocation = Invocation<OptionsOf<typeof trailCommand>>;

/** What each action takes of the options that not all of them do. */
const TAKES: { readonly [action: string]: readonly string[] } = {
  list: ["dir", "status", "limit"],
  show: ["dir", "decisions"],
  search: ["dir", "limit"],
  export: ["dir", "format", "output"],
  decision: ["run", "question", "reasoning", "alternatives", "confidence"],
  finding: ["run"],
  reflect: ["run", "confidence", "focalPoints", "adjustments"],
};

/** The actions that add to a trajectory. */
const RECORDS = { decision: "decision", finding: "finding", reflect: "reflection" } as const;

/** `troupe trail` */
export const trailAction: ActionOf<typeof trailCommand> = async (invocation) => {
  const [action = "list", ...what] = invocation.args;
  assertFits(action, what, invocation);
  const { settings, io } = invocation;
  if (isRecording(action)) return recordAs(action, what[0] ?? "", invocation);
  const machine = createMachineAt({ cwd: settings.cwd, env: io.env });
  for (const problem of await keepDueTrajectories(machine)) reportWarning(problem, io, settings);
  const [given = ""] = what;
  if (action === "list") await list(machine, invocation);
  else if (action === "search") await search(machine, what, invocation);
  else if (action === "show") await show(machine, given, invocation);
  else await exportOne(machine, given, invocation);
  return EXIT.completed;
};

function isRecording(action: string): action is keyof typeof RECORDS {
  return Object.hasOwn(RECORDS, action);
}

async function recordAs(
  action: keyof typeof RECORDS,
  text: string,
  invocation: TrailInvocation,
): Promise<number> {
  const { addRecord } = await import("../context/add-record.ts");
  const { options } = invocation;
  const machine = lookAtMachine(invocation);
  const { kind, run } = await addRecord(RECORDS[action], { text, options, machine }, invocation);
  if (options.json) writeJson(invocation, { recorded: kind, run: run ?? null });
  else await writeLines(invocation, [`${kind} recorded${run === undefined ? "" : ` in ${run}`}`]);
  return EXIT.completed;
}

/** Raises USAGE_INVALID for operands and options that an action does not take. */
function assertFits(
  action: string,
  what: readonly string[],
  { options }: Pick<TrailInvocation, "options">,
): void {
  const given = Object.entries(options).flatMap(([name, value]) =>
    name === "json" || value === undefined || value === false ? [] : [name],
  );
  const foreign = given.find((name) => TAKES[action]?.includes(name) !== true);
  if (foreign !== undefined)
    throw usageInvalid({ problem: `trail ${action} does not take ${toFlag(foreign)}` });
  if (action === "list" && what.length > 0)
    throw usageInvalid({ problem: "trail list takes no name", hint: "trail search takes words" });
  if (action === "search" && what.every((word) => word.trim() === ""))
    throw usageInvalid({ problem: "name the words to look for" });
  if (isRecording(action) && what.length !== 1)
    throw usageInvalid({
      problem: `trail ${action} takes one text, got ${what.length}`,
      hint: "put it in quotes; - stands for standard input",
    });
  if ((action === "show" || action === "export") && what.length !== 1)
    throw usageInvalid({
      problem: `trail ${action} takes one trajectory or run, got ${what.length}`,
      hint: "troupe trail list tells which there are",
    });
}

async function list(machine: Machine, invocation: TrailInvocation): Promise<void> {
  const { status, limit, json } = invocation.options;
  const most = readLimit(limit);
  const files = (await read(machine, invocation))
    .filter(({ trajectory }) => status === undefined || trajectory.status === status)
    .slice(0, most);
  if (json) writeJson(invocation, { trajectories: files.map(toTrajectoryEntry) });
  else
    await writeLines(
      invocation,
      trajectoryTable(files, { settings: invocation.settings, nowMs: machine.clock.now() }),
    );
}

async function search(
  machine: Machine,
  words: readonly string[],
  invocation: TrailInvocation,
): Promise<void> {
  const { limit, json } = invocation.options;
  const most = readLimit(limit);
  const found = searchTrajectories(await read(machine, invocation), words).slice(0, most);
  if (!json) return writeLines(invocation, foundLines(found));
  const entries = found.map(({ score, excerpt, ...file }) => ({
    entry: toTrajectoryEntry(file),
    score,
    excerpt,
  }));
  writeJson(invocation, { found: entries });
}

async function show(machine: Machine, given: string, invocation: TrailInvocation): Promise<void> {
  const { decisions, json } = invocation.options;
  const trajectory = await find(machine, given, invocation);
  if (json) return writeJson(invocation, { trajectory });
  const text = trajectoryText(trajectory, decisions ? "decisions" : "md");
  const lines = text === "" ? ["nothing was decided"] : toPrintableLines(text.trimEnd());
  await writeLines(invocation, lines);
}

async function exportOne(
  machine: Machine,
  given: string,
  invocation: TrailInvocation,
): Promise<void> {
  const { json, output } = invocation.options;
  const { format = json ? "json" : "md" } = invocation.options;
  const { io, settings } = invocation;
  if (json && format !== "json")
    throw usageInvalid({ problem: `--json and --format ${format} exclude each other` });
  const text = trajectoryText(await find(machine, given, invocation), format);
  if (output === undefined) io.stdout.write(text);
  else writeTextFile(inputPath(output, settings), text);
}

async function read(
  machine: Machine,
  invocation: TrailInvocation,
): Promise<readonly TrajectoryFile[]> {
  const { io, settings } = invocation;
  const directories = trajectoryDirectories(machine, directoryOf(invocation));
  const { files, problems } = await readTrajectories(directories);
  for (const problem of problems) reportWarning(problem, io, settings);
  return files;
}

function find(machine: Machine, given: string, invocation: TrailInvocation): Promise<Trajectory> {
  return findTrajectory(machine, given, directoryOf(invocation));
}

function directoryOf({ options, settings }: TrailInvocation): string | undefined {
  return options.dir === undefined
    ? undefined
    : resolve(settings.cwd, inputPath(options.dir, settings));
}

function writeJson({ io }: TrailInvocation, members: object): void {
  io.stdout.write(`${JSON.stringify({ v: 1, ...members })}\n`);
}

const HEADER = ["TRAJECTORY", "STATUS", "CONFIDENCE", "CHAPTERS", "AGE", "TITLE"];
const TITLE_COLUMN = HEADER.indexOf("TITLE");

/** Trajectories as a table for people. */
function trajectoryTable(
  files: readonly TrajectoryFile[],
  { settings, nowMs }: { readonly settings: Settings; readonly nowMs: number },
): readonly string[] {
  if (files.length === 0) return [NONE];
  const rows = files.map(({ trajectory }) => {
    const { id, status, chapters, startedAt, task, retrospective } = trajectory;
    const share = retrospective?.confidence;
    const confidence = share === undefined ? "-" : `${Math.round(share * 100)}%`;
    const age = formatDuration(elapsedMs(Date.parse(startedAt), nowMs));
    return [id, status, confidence, String(chapters.length), age, task.title];
  });
  return fitTable([HEADER, ...rows], { settings, hasHeader: true, cuts: [TITLE_COLUMN] });
}

const NONE = `no trajectories yet: trajectory: {enabled: true} of a workflow leaves one, ${TROUPE} trail show RUN tells any run`;

/** What a search has found, for people. */
function foundLines(found: readonly FoundTrajectory[]): readonly string[] {
  if (found.length === 0) return ["no trajectory has all of these words"];
  return found.flatMap(({ trajectory: { id, status, task }, excerpt }) => [
    toPrintable(`${id}  ${status}  ${task.title}`),
    `  ${toPrintable(excerpt)}`,
  ]);
}

/** A trajectory as `--json` lists it. */
function toTrajectoryEntry({ trajectory, file }: TrajectoryFile): Json {
  const { id, status, task, startedAt, completedAt = null, workflowId = null } = trajectory;
  const { retrospective, chapters, tags } = trajectory;
  return {
    ...{ id, status, title: task.title, run: workflowId, startedAt, endedAt: completedAt },
    confidence: retrospective?.confidence ?? null,
    chapters: chapters.length,
    tags,
    file,
  };
}
