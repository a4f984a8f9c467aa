import type { CliCommand } from "../command/command.ts";
import { answerCommand } from "./answer.ts";
import { approveCommand } from "./approve.ts";
import { askCommand } from "./ask.ts";
import { attachCommand } from "./attach.ts";
import { awayCommand } from "./away.ts";
import { cancelCommand } from "./cancel.ts";
import { completionCommand } from "./completion.ts";
import { configCommand } from "./config.ts";
import { contextCommand } from "./context.ts";
import { convertCommand } from "./convert.ts";
import { costCommand } from "./cost.ts";
import { daemonCommand } from "./daemon.ts";
import { demoCommand } from "./demo.ts";
import { diffCommand } from "./diff.ts";
import { doctorCommand } from "./doctor.ts";
import { explainCommand } from "./explain.ts";
import { exportCommand } from "./export.ts";
import { forkCommand } from "./fork.ts";
import { gcCommand } from "./gc.ts";
import { graphCommand } from "./graph.ts";
import { importCommand } from "./import.ts";
import { inboxCommand } from "./inbox.ts";
import { initCommand } from "./init.ts";
import { listCommand } from "./list.ts";
import { logsCommand } from "./logs.ts";
import { mcpCommand } from "./mcp.ts";
import { mergeCommand } from "./merge.ts";
import { newCommand } from "./new.ts";
import { pauseCommand } from "./pause.ts";
import { peekCommand } from "./peek.ts";
import { planCommand } from "./plan.ts";
import { rejectCommand } from "./reject.ts";
import { reportCommand } from "./report.ts";
import { rerunCommand } from "./rerun.ts";
import { resumeCommand } from "./resume.ts";
import { rmCommand } from "./rm.ts";
import { runCommand } from "./run.ts";
import { runsCommand } from "./runs.ts";
import { schemaCommand } from "./schema.ts";
import { sendCommand } from "./send.ts";
import { showCommand } from "./show.ts";
import { startCommand } from "./start.ts";
import { stopCommand } from "./stop.ts";
import { templatesCommand } from "./templates.ts";
import { trustCommand } from "./trust.ts";
import { validateCommand } from "./validate.ts";

/** Every command, grouped, in the order of help. A new one is a file and a line here. */
export const commands: readonly CliCommand[] = [
  demoCommand,
  initCommand,
  runCommand,
  startCommand,
  planCommand,
  resumeCommand,
  rerunCommand,
  forkCommand,
  mergeCommand,
  pauseCommand,
  cancelCommand,
  stopCommand,
  newCommand,
  rmCommand,
  listCommand,
  sendCommand,
  askCommand,
  peekCommand,
  attachCommand,
  runsCommand,
  showCommand,
  diffCommand,
  logsCommand,
  costCommand,
  inboxCommand,
  approveCommand,
  rejectCommand,
  answerCommand,
  awayCommand,
  contextCommand,
  mcpCommand,
  validateCommand,
  convertCommand,
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
  daemonCommand,
  doctorCommand,
  completionCommand,
];
