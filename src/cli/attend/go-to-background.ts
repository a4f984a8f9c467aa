import type { WorkflowRun } from "../../app/run/owner/workflow-run.ts";
import { TROUPE } from "../command/called-as.ts";
import { EXIT } from "../command/exit-codes.ts";
import { reportError } from "../command/report-error.ts";
import { resumeCommandOf } from "../command/resume-command.ts";
import type { Attendance } from "./attendance.ts";

/**
 * Hands a run over to the daemon that this process has let go of, and says where it goes on; resolves with the exit
 * code. Where no daemon takes it, its state is saved and the command that goes on with it is told.
 */
export async function goToBackground(
  { id, state }: WorkflowRun,
  { io, settings, background }: Attendance,
): Promise<number> {
  if (background?.status !== "possible") throw new Error("the run stays in this process");
  try {
    await background.takeOver(id);
  } catch (error) {
    const exitCode = reportError(error, io, settings);
    io.stderr.write(
      `${id} is suspended, its state is saved: ${resumeCommandOf({ run: state.run })}\n`,
    );
    return exitCode;
  }
  const { workflow, instance } = state.run;
  io.stdout.write(
    [
      `${id} (${workflow}@${instance}) goes on in the background`,
      `  watch it: ${TROUPE} attach ${id}`,
      `  end it: ${TROUPE} cancel ${id}`,
      "",
    ].join("\n"),
  );
  return EXIT.completed;
}
