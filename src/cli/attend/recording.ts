import type { Machine } from "../../app/machine/machine.ts";
import type { WorkflowRun } from "../../app/run/owner/workflow-run.ts";
import type { Invocation } from "../command/command.ts";
import { reportError } from "../command/report-error.ts";
import { inputPath } from "../prepare/read-input.ts";

/** What `--record` does beside a run. */
export interface CassetteRecording {
  attach(run: WorkflowRun): void;
  /** Writes the cassette; a failure is told and changes nothing about the run. */
  finish(): Promise<void>;
}

const NO_RECORDING: CassetteRecording = { attach: () => {}, finish: async () => {} };

/** Prepares to record into a file, if one is named. Raises FILE_UNWRITABLE. */
export async function startRecording(
  machine: Machine,
  file: string | undefined,
  { io, settings }: Pick<Invocation, "io" | "settings">,
): Promise<CassetteRecording> {
  if (file === undefined) return NO_RECORDING;
  const { createCassetteRecorder } = await import("../../app/run/cassette-recorder.ts");
  const recorder = await createCassetteRecorder(machine, inputPath(file, settings));
  return {
    attach: recorder.attach,
    finish: async () => {
      try {
        await recorder.write();
      } catch (error) {
        reportError(error, io, settings);
      }
    },
  };
}
