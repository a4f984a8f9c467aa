import { type CliCommand, withAction } from "./command/command.ts";
import { answerCommand } from "./commands/answer.ts";
import { approveCommand } from "./commands/approve.ts";
import { askCommand } from "./commands/ask.ts";
import { attachCommand } from "./commands/attach.ts";
import { awayCommand } from "./commands/away.ts";
import { cancelCommand } from "./commands/cancel.ts";
import { completionCommand } from "./commands/completion.ts";
import { configCommand } from "./commands/config.ts";
import { contextCommand } from "./commands/context.ts";
import { convertCommand } from "./commands/convert.ts";
import { costCommand } from "./commands/cost.ts";
import { daemonCommand } from "./commands/daemon.ts";
import { demoCommand } from "./commands/demo.ts";
import { diffCommand } from "./commands/diff.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { explainCommand } from "./commands/explain.ts";
import { exportCommand } from "./commands/export.ts";
import { forkCommand } from "./commands/fork.ts";
import { gcCommand } from "./commands/gc.ts";
import { graphCommand } from "./commands/graph.ts";
import { importCommand } from "./commands/import.ts";
import { inboxCommand } from "./commands/inbox.ts";
import { initCommand } from "./commands/init.ts";
import { listCommand } from "./commands/list.ts";
import { logsCommand } from "./commands/logs.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { mergeCommand } from "./commands/merge.ts";
import { newCommand } from "./commands/new.ts";
import { pauseCommand } from "./commands/pause.ts";
import { peekCommand } from "./commands/peek.ts";
import { planCommand } from "./commands/plan.ts";
import { rejectCommand } from "./commands/reject.ts";
import { reportCommand } from "./commands/report.ts";
import { rerunCommand } from "./commands/rerun.ts";
import { resumeCommand } from "./commands/resume.ts";
import { rmCommand } from "./commands/rm.ts";
import { runCommand } from "./commands/run.ts";
import { runsCommand } from "./commands/runs.ts";
import { schemaCommand } from "./commands/schema.ts";
import { sendCommand } from "./commands/send.ts";
import { showCommand } from "./commands/show.ts";
import { startCommand } from "./commands/start.ts";
import { stopCommand } from "./commands/stop.ts";
import { templatesCommand } from "./commands/templates.ts";
import { trustCommand } from "./commands/trust.ts";
import { validateCommand } from "./commands/validate.ts";

/** Every command, grouped, in the order of help. A new one is a file and a line here. */
export const commands: readonly CliCommand[] = [
  withAction(demoCommand, async () => (await import("./actions/demo.ts")).demoAction),
  withAction(initCommand, async () => (await import("./actions/init.ts")).initAction),
  withAction(runCommand, async () => (await import("./actions/run.ts")).runAction),
  withAction(startCommand, async () => (await import("./actions/start.ts")).startAction),
  withAction(planCommand, async () => (await import("./actions/plan.ts")).planAction),
  withAction(resumeCommand, async () => (await import("./actions/resume.ts")).resumeAction),
  withAction(rerunCommand, async () => (await import("./actions/rerun.ts")).rerunAction),
  withAction(forkCommand, async () => (await import("./actions/fork.ts")).forkAction),
  withAction(mergeCommand, async () => (await import("./actions/merge.ts")).mergeAction),
  withAction(pauseCommand, async () => (await import("./actions/pause.ts")).pauseAction),
  withAction(cancelCommand, async () => (await import("./actions/cancel.ts")).cancelAction),
  withAction(stopCommand, async () => (await import("./actions/stop.ts")).stopAction),
  withAction(newCommand, async () => (await import("./actions/new.ts")).newAction),
  withAction(rmCommand, async () => (await import("./actions/rm.ts")).rmAction),
  withAction(listCommand, async () => (await import("./actions/list.ts")).listAction),
  withAction(sendCommand, async () => (await import("./actions/send.ts")).sendAction),
  withAction(askCommand, async () => (await import("./actions/ask.ts")).askAction),
  withAction(peekCommand, async () => (await import("./actions/peek.ts")).peekAction),
  withAction(attachCommand, async () => (await import("./actions/attach.ts")).attachAction),
  withAction(runsCommand, async () => (await import("./actions/runs.ts")).runsAction),
  withAction(showCommand, async () => (await import("./actions/show.ts")).showAction),
  withAction(diffCommand, async () => (await import("./actions/diff.ts")).diffAction),
  withAction(logsCommand, async () => (await import("./actions/logs.ts")).logsAction),
  withAction(costCommand, async () => (await import("./actions/cost.ts")).costAction),
  withAction(inboxCommand, async () => (await import("./actions/inbox.ts")).inboxAction),
  withAction(approveCommand, async () => (await import("./actions/approve.ts")).approveAction),
  withAction(rejectCommand, async () => (await import("./actions/reject.ts")).rejectAction),
  withAction(answerCommand, async () => (await import("./actions/answer.ts")).answerAction),
  withAction(awayCommand, async () => (await import("./actions/away.ts")).awayAction),
  withAction(contextCommand, async () => (await import("./actions/context.ts")).contextAction),
  withAction(mcpCommand, async () => (await import("./actions/mcp.ts")).mcpAction),
  withAction(validateCommand, async () => (await import("./actions/validate.ts")).validateAction),
  withAction(convertCommand, async () => (await import("./actions/convert.ts")).convertAction),
  withAction(graphCommand, async () => (await import("./actions/graph.ts")).graphAction),
  withAction(
    templatesCommand,
    async () => (await import("./actions/templates.ts")).templatesAction,
  ),
  withAction(schemaCommand, async () => (await import("./actions/schema.ts")).schemaAction),
  withAction(explainCommand, async () => (await import("./actions/explain.ts")).explainAction),
  withAction(reportCommand, async () => (await import("./actions/report.ts")).reportAction),
  withAction(exportCommand, async () => (await import("./actions/export.ts")).exportAction),
  withAction(importCommand, async () => (await import("./actions/import.ts")).importAction),
  withAction(gcCommand, async () => (await import("./actions/gc.ts")).gcAction),
  withAction(configCommand, async () => (await import("./actions/config.ts")).configAction),
  withAction(trustCommand, async () => (await import("./actions/trust.ts")).trustAction),
  withAction(daemonCommand, async () => (await import("./actions/daemon.ts")).daemonAction),
  withAction(doctorCommand, async () => (await import("./actions/doctor.ts")).doctorAction),
  withAction(
    completionCommand,
    async () => (await import("./actions/completion.ts")).completionAction,
  ),
];
