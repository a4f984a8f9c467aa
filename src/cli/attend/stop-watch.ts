import type { WorkflowRun } from "../../app/run/owner/workflow-run.ts";
import { EXIT } from "../command/exit-codes.ts";
import { resumeCommandOf } from "../command/resume-command.ts";
import type { Io, StopSignal } from "../terminal/io.ts";

/** Lets go of a run when the process is asked to end. */
export interface StopWatch {
  /** From here on signals concern this run; one that came before takes effect now. */
  attach(run: WorkflowRun): void;
  /** Signals end the process again. */
  close(): void;
}

/**
 * Takes SIGINT, SIGTERM, SIGHUP and the end of standard output as the wish to let go of the run, with its
 * state saved. A second SIGINT ends the process at once; the reaper ends what is left.
 */
export function watchStops(io: Io): StopWatch {
  let run: WorkflowRun | undefined;
  let exitCode: number | undefined;
  const resume = () => (run === undefined ? "" : `; resume with: ${resumeCommandOf(run.state)}`);
  const letGo = () => {
    // Whoever attends the run sees how it parted, errors included.
    if (run !== undefined && exitCode !== undefined) run.suspend(exitCode).catch(() => {});
  };
  const onSignal = (signal: StopSignal) => {
    const isFirst = exitCode === undefined;
    if (!isFirst && signal === "SIGINT") return io.exitNow(EXIT.interrupted);
    if (!isFirst) return;
    exitCode = signal === "SIGINT" ? EXIT.interrupted : EXIT.terminated;
    io.stderr.write(`stopping… again to kill${resume()}\n`);
    letGo();
  };
  const endSignals = io.onSignal(onSignal);
  const endClosed = io.stdout.onClosed(() => {
    if (exitCode === undefined)
      io.stderr.write(`standard output is closed; stopping…${resume()}\n`);
    exitCode ??= EXIT.interrupted;
    letGo();
  });
  return {
    attach: (attended) => {
      run = attended;
      letGo();
    },
    close: () => {
      endSignals();
      endClosed();
    },
  };
}
