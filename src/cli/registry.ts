import type { ActionOf, CliCommand } from "./command/command.ts";

/** A command by the name that calls it; all else is loaded when it is asked for. */
interface CommandEntry {
  readonly name: string;
  load(): Promise<CliCommand>;
}

/** Every command, grouped, in the order of help. A new one is a file and a line here. */
const registry: readonly CommandEntry[] = [
  entry("demo", [() => import("./commands/demo.ts"), () => import("./actions/demo.ts")]),
  entry("init", [() => import("./commands/init.ts"), () => import("./actions/init.ts")]),
  entry("run", [() => import("./commands/run.ts"), () => import("./actions/run.ts")]),
  entry("iter", [() => import("./commands/iter.ts"), () => import("./actions/iter.ts")]),
  entry("collab", [() => import("./commands/collab.ts"), () => import("./actions/collab.ts")]),
  entry("team", [() => import("./commands/team.ts"), () => import("./actions/team.ts")]),
  entry("chat", [() => import("./commands/chat.ts"), () => import("./actions/chat.ts")]),
  entry("start", [() => import("./commands/start.ts"), () => import("./actions/start.ts")]),
  entry("schedule", [
    () => import("./commands/schedule.ts"),
    () => import("./actions/schedule.ts"),
  ]),
  entry("plan", [() => import("./commands/plan.ts"), () => import("./actions/plan.ts")]),
  entry("resume", [() => import("./commands/resume.ts"), () => import("./actions/resume.ts")]),
  entry("rerun", [() => import("./commands/rerun.ts"), () => import("./actions/rerun.ts")]),
  entry("fork", [() => import("./commands/fork.ts"), () => import("./actions/fork.ts")]),
  entry("merge", [() => import("./commands/merge.ts"), () => import("./actions/merge.ts")]),
  entry("pause", [() => import("./commands/pause.ts"), () => import("./actions/pause.ts")]),
  entry("cancel", [() => import("./commands/cancel.ts"), () => import("./actions/cancel.ts")]),
  entry("stop", [() => import("./commands/stop.ts"), () => import("./actions/stop.ts")]),
  entry("restart", [() => import("./commands/restart.ts"), () => import("./actions/restart.ts")]),
  entry("new", [() => import("./commands/new.ts"), () => import("./actions/new.ts")]),
  entry("rm", [() => import("./commands/rm.ts"), () => import("./actions/rm.ts")]),
  entry("list", [() => import("./commands/list.ts"), () => import("./actions/list.ts")]),
  entry("send", [() => import("./commands/send.ts"), () => import("./actions/send.ts")]),
  entry("ask", [() => import("./commands/ask.ts"), () => import("./actions/ask.ts")]),
  entry("peek", [() => import("./commands/peek.ts"), () => import("./actions/peek.ts")]),
  entry("attach", [() => import("./commands/attach.ts"), () => import("./actions/attach.ts")]),
  entry("runs", [() => import("./commands/runs.ts"), () => import("./actions/runs.ts")]),
  entry("show", [() => import("./commands/show.ts"), () => import("./actions/show.ts")]),
  entry("diff", [() => import("./commands/diff.ts"), () => import("./actions/diff.ts")]),
  entry("logs", [() => import("./commands/logs.ts"), () => import("./actions/logs.ts")]),
  entry("cost", [() => import("./commands/cost.ts"), () => import("./actions/cost.ts")]),
  entry("trail", [() => import("./commands/trail.ts"), () => import("./actions/trail.ts")]),
  entry("inbox", [() => import("./commands/inbox.ts"), () => import("./actions/inbox.ts")]),
  entry("approve", [() => import("./commands/approve.ts"), () => import("./actions/approve.ts")]),
  entry("reject", [() => import("./commands/reject.ts"), () => import("./actions/reject.ts")]),
  entry("answer", [() => import("./commands/answer.ts"), () => import("./actions/answer.ts")]),
  entry("away", [() => import("./commands/away.ts"), () => import("./actions/away.ts")]),
  entry("context", [() => import("./commands/context.ts"), () => import("./actions/context.ts")]),
  entry("mcp", [() => import("./commands/mcp.ts"), () => import("./actions/mcp.ts")]),
  entry("advise", [() => import("./commands/advise.ts"), () => import("./actions/advise.ts")]),
  entry("test", [() => import("./commands/test.ts"), () => import("./actions/test.ts")]),
  entry("validate", [
    () => import("./commands/validate.ts"),
    () => import("./actions/validate.ts"),
  ]),
  entry("convert", [() => import("./commands/convert.ts"), () => import("./actions/convert.ts")]),
  entry("graph", [() => import("./commands/graph.ts"), () => import("./actions/graph.ts")]),
  entry("templates", [
    () => import("./commands/templates.ts"),
    () => import("./actions/templates.ts"),
  ]),
  entry("schema", [() => import("./commands/schema.ts"), () => import("./actions/schema.ts")]),
  entry("explain", [() => import("./commands/explain.ts"), () => import("./actions/explain.ts")]),
  entry("report", [() => import("./commands/report.ts"), () => import("./actions/report.ts")]),
  entry("export", [() => import("./commands/export.ts"), () => import("./actions/export.ts")]),
  entry("import", [() => import("./commands/import.ts"), () => import("./actions/import.ts")]),
  entry("gc", [() => import("./commands/gc.ts"), () => import("./actions/gc.ts")]),
  entry("config", [() => import("./commands/config.ts"), () => import("./actions/config.ts")]),
  entry("trust", [() => import("./commands/trust.ts"), () => import("./actions/trust.ts")]),
  entry("daemon", [() => import("./commands/daemon.ts"), () => import("./actions/daemon.ts")]),
  entry("doctor", [() => import("./commands/doctor.ts"), () => import("./actions/doctor.ts")]),
  entry("completion", [
    () => import("./commands/completion.ts"),
    () => import("./actions/completion.ts"),
  ]),
];

/** All commands as help knows them. */
export function loadCommands(): Promise<readonly CliCommand[]> {
  return Promise.all(registry.map(({ load }) => load()));
}

/** The command that the first word of a command line calls; all of them when it is the name of none. */
export async function loadCalled([first]: readonly string[]): Promise<readonly CliCommand[]> {
  const called = registry.find(({ name }) => name === first);
  return called === undefined ? loadCommands() : [await called.load()];
}

/**
 * A command from the module that declares it and the one that carries it out: they export it as `runCommand` and
 * `runAction`. The parser gives its action exactly the options that are declared.
 */
function entry<
  const Name extends string,
  Declared extends { readonly [key in `${Name}Command`]: Omit<CliCommand, "load"> },
>(
  name: Name,
  [declaring, acting]: readonly [
    () => Promise<Declared>,
    () => Promise<{
      readonly [key in `${Name}Action`]: ActionOf<Declared[`${Name}Command`]>;
    }>,
  ],
): CommandEntry {
  return {
    name,
    load: async () => {
      const declaration = (await declaring())[`${name}Command` as const];
      return { ...declaration, load: async () => (await acting())[`${name}Action` as const] };
    },
  };
}
