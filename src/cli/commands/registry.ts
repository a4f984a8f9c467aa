import type { CliCommand } from "../command.ts";
import { answerCommand } from "./answer.ts";
import { approveCommand } from "./approve.ts";
import { cancelCommand } from "./cancel.ts";
import { demoCommand } from "./demo.ts";
import { explainCommand } from "./explain.ts";
import { inboxCommand } from "./inbox.ts";
import { logsCommand } from "./logs.ts";
import { pauseCommand } from "./pause.ts";
import { rejectCommand } from "./reject.ts";
import { resumeCommand } from "./resume.ts";
import { runCommand } from "./run.ts";
import { runsCommand } from "./runs.ts";
import { showCommand } from "./show.ts";
import { validateCommand } from "./validate.ts";

/** Every command, grouped, in the order of help. A new one is a file and a line here. */
export const commands: readonly CliCommand[] = [
  demoCommand,
  runCommand,
  resumeCommand,
  pauseCommand,
  cancelCommand,
  runsCommand,
  showCommand,
  logsCommand,
  inboxCommand,
  approveCommand,
  rejectCommand,
  answerCommand,
  validateCommand,
  explainCommand,
];
