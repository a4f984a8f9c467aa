import type { BranchChanges } from "../../app/run/merge/branch-changes.ts";
import { deletesMuch } from "../../app/run/merge/branch-changes.ts";
import { mergeDeletes, mergeObeyed } from "../../app/run/merge/errors.ts";
import { type MergeOrder, mergeRun } from "../../app/run/merge/merge-run.ts";
import type { MergeConflict, MergeReport } from "../../app/run/merge/merge-work.ts";
import { count } from "../../foundation/count.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { present } from "../../foundation/present.ts";
import { createAttendance } from "../attend/attendance.ts";
import { startRecording } from "../attend/recording.ts";
import { startAttended } from "../attend/start-attended.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf, Invocation, OptionsOf } from "../command/command.ts";
import { confirm } from "../command/confirm.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import type { mergeCommand } from "../commands/merge.ts";
import { changeLines, mergeLines, newsLine, toMergeDocument } from "../merge/merge-lines.ts";
import { prepareRun } from "../prepare/prepare-run.ts";

type MergeOptions = OptionsOf<typeof mergeCommand>;

const DEFAULT_VERIFY_TIMEOUT_MS = 600_000;

/** `troupe merge`: merges, verifies, tells where it stands. */
export const mergeAction: ActionOf<typeof mergeCommand> = async (invocation) => {
  const { options } = invocation;
  const [given = ""] = invocation.args;
  const order = toOrder(options);
  const machine = await openMachine(invocation);
  const { io, settings } = invocation;
  const isTold = !options.json && !settings.isQuiet;
  const stop = new AbortController();
  const endSignals = io.onSignal(() => {
    if (stop.signal.aborted) io.exitNow(EXIT.interrupted);
    stop.abort();
  });
  try {
    const report = await mergeRun(
      machine,
      { given, order },
      {
        tell: (news) => {
          if (isTold) io.stdout.write(`${newsLine(news)}\n`);
        },
        agree: (heavy) => agree(heavy, options, invocation),
        solve: (conflict) => solve(conflict, options.json ? "none" : "plain", invocation),
        signal: stop.signal,
      },
    );
    tell(report, options, invocation);
    return exitCodeOf(report);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    io.stderr.write(`stopped; go on with: ${TROUPE} merge ${given} --continue\n`);
    return EXIT.interrupted;
  } finally {
    endSignals();
  }
};

/** Asks about branches that need it; `-y` agrees. Raises RUN_MERGE_DELETES and RUN_MERGE_OBEYED where nobody can be asked. */
async function agree(
  heavy: readonly BranchChanges[],
  { json: isJson }: MergeOptions,
  invocation: Invocation,
): Promise<boolean> {
  const { settings, io } = invocation;
  if (settings.saysYes) return true;
  const [first] = heavy;
  if (first === undefined) return true;
  if (isJson || !settings.mayAsk) {
    const [brings] = heavy.filter((each) => each.obeyed.length > 0);
    const [file] = brings?.obeyed ?? [];
    if (brings !== undefined && file !== undefined)
      throw mergeObeyed({
        ...{ branch: brings.branch, ...file, more: brings.obeyed.length - 1 },
        run: invocation.args[0] ?? "",
      });
    const { branch, deleted, added } = first;
    throw mergeDeletes({
      ...{ branch, deleted: deleted.length, added: added.length },
      ...{ more: heavy.length - 1, run: invocation.args[0] ?? "" },
    });
  }
  if (settings.isQuiet)
    io.stdout.write(`${heavy.flatMap((each) => changeLines(each)).join("\n")}\n`);
  const total = heavy.filter(deletesMuch).reduce((sum, { deleted }) => sum + deleted.length, 0);
  const brought = heavy.reduce((sum, { obeyed }) => sum + obeyed.length, 0);
  const what = [
    ...(total === 0 ? [] : [`delete ${total} files`]),
    ...(brought === 0 ? [] : [`bring ${count(brought, "file")} that programs outside obey`]),
  ].join(" and ");
  return confirm({ question: `merge, and ${what}?`, withoutTerminal: "add -y" }, invocation);
}

/** Raises USAGE_INVALID and DURATION_INVALID. */
function toOrder(options: MergeOptions): MergeOrder {
  const { continue: goesOn, abort: isAborted, verifyTimeout, keep: keeps } = options;
  const { into, verify, agent } = options;
  const blank = { "--into": into, "--verify": verify };
  for (const [flag, value] of Object.entries(blank))
    if (value?.trim() === "") throw usageInvalid({ problem: `${flag} is empty` });
  const isNew = into ?? verify ?? agent ?? verifyTimeout;
  if (goesOn && isAborted)
    throw usageInvalid({ problem: "--continue and --abort exclude each other" });
  if ((goesOn || isAborted) && (isNew !== undefined || keeps))
    throw usageInvalid({
      problem: "a merge goes on as it was begun",
      hint: "leave the other options out; to change them: --abort, and begin again",
    });
  if (isAborted) return { kind: "abort" };
  if (goesOn) return { kind: "continue" };
  if (verifyTimeout !== undefined && verify === undefined)
    throw usageInvalid({ problem: "--verify-timeout is for --verify, which is not given" });
  const verifyTimeoutMs =
    verifyTimeout === undefined
      ? DEFAULT_VERIFY_TIMEOUT_MS
      : parseDuration(verifyTimeout, "--verify-timeout");
  return {
    kind: "begin",
    wish: {
      ...present({ into, verify, agent }),
      verifyTimeoutMs,
      keeps,
    },
  };
}

/** Runs one agent on the conflict, as `troupe run --agent` would. */
async function solve(
  conflict: MergeConflict,
  progress: "plain" | "none",
  invocation: Invocation,
): Promise<boolean> {
  const { io, settings } = invocation;
  const run: Invocation = {
    ...invocation,
    args: [conflictTask(conflict)],
    rest: [],
    options: { agent: conflict.solver, i: [] },
    settings: { ...settings, cwd: conflict.root },
  };
  const machine = await openMachine(run);
  const prepared = await prepareRun(machine, run);
  if (prepared === undefined) return false;
  const recording = await startRecording(machine, undefined, run);
  const attendance = createAttendance({ machine, io, settings, progress, rings: false });
  const code = await startAttended(prepared, {
    ...attendance,
    recording,
    report: undefined,
    approvals: "ask",
  });
  return code === EXIT.completed;
}

function tell(report: MergeReport, { json }: MergeOptions, { io, settings }: Invocation): void {
  if (json) io.stdout.write(`${JSON.stringify(toMergeDocument(report))}\n`);
  else if (!settings.isQuiet || report.end.status !== "merged")
    io.stdout.write(`${mergeLines(report).join("\n")}\n`);
}

function exitCodeOf({ end }: MergeReport): number {
  if (end.status === "conflict") return EXIT.waiting;
  const isFailed = end.status === "verification-failed" || end.status === "declined";
  return isFailed ? EXIT.failed : EXIT.completed;
}

/** What an agent is told that is to resolve a conflict. File names are those of agents: they are quoted. */
export function conflictTask({ agent, branch, run, files }: MergeConflict): string {
  return [
    `A git merge is under way in this directory and has conflicts. Branch ${branch} holds the work of agent ${agent} of run ${run}; the checked out branch holds what was merged before.`,
    "",
    "Files in conflict:",
    ...files.map((path) => `- ${JSON.stringify(path)}`),
    "",
    "Resolve them so that the intention of both sides is kept, and remove all conflict markers. Look at both sides with `git log -p HEAD...MERGE_HEAD -- FILE`. Change nothing else. Do not commit, do not abort the merge, do not switch branches: that is done for you afterwards.",
    "",
    "When no marker is left, end with a line that starts with `DONE:` and says how you resolved them. If the two sides contradict each other so that a person has to decide, end with `BLOCKED:` and the question.",
  ].join("\n");
}
