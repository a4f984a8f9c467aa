import type { CliCommand } from "../command.ts";
import { answerCommand } from "./answer.ts";
import { approveCommand } from "./approve.ts";
import { cancelCommand } from "./cancel.ts";
import { completionCommand } from "./completion.ts";
import { configCommand } from "./config.ts";
import { demoCommand } from "./demo.ts";
import { doctorCommand } from "./doctor.ts";
import { explainCommand } from "./explain.ts";
import { exportCommand } from "./export.ts";
import { gcCommand } from "./gc.ts";
import { graphCommand } from "./graph.ts";
import { importCommand } from "./import.ts";
import { inboxCommand } from "./inbox.ts";
import { initCommand } from "./init.ts";
import { listCommand } from "./list.ts";
import { logsCommand } from "./logs.ts";
import { pauseCommand } from "./pause.ts";
import { planCommand } from "./plan.ts";
import { rejectCommand } from "./reject.ts";
import { reportCommand } from "./report.ts";
import { resumeCommand } from "./resume.ts";
import { runCommand } from "./run.ts";
import { runsCommand } from "./runs.ts";
import { schemaCommand } from "./schema.ts";
import { showCommand } from "./show.ts";
import { templatesCommand } from "./templates.ts";
import { trustCommand } from "./trust.ts";
import { validateCommand } from "./validate.ts";

/** Every command, grouped, in the order of help. A new one is a file and a line here. */
export const commands: readonly CliCommand[] = [
  demoCommand,
  initCommand,
  runCommand,
  planCommand,
  resumeCommand,
  pauseCommand,
  cancelCommand,
  listCommand,
  runsCommand,
  showCommand,
  logsCommand,
  inboxCommand,
  approveCommand,
  rejectCommand,
  answerCommand,
  validateCommand,
  graphCommand,
  templatesCommand,
  schemaCommand,
  explainCommand,
  reportCommand,
  exportCommand,
  importCommand,
  gcCommand,
  configCommand,
  trustCommand,
  doctorCommand,
  completionCommand,
];
