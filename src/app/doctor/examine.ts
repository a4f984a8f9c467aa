import { existsSync } from "node:fs";
import { TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { createHost } from "../../host/host.ts";
import { findSandbox } from "../../host/sandbox/sandbox.ts";
import type { Machine } from "../machine/machine.ts";
import { readRunList } from "../runs/run-index.ts";
import { loadPlugin, piecesOf } from "../workflow/plugins/load-plugins.ts";
import { type PluginFile, pluginFiles } from "../workflow/plugins/plugin-files.ts";
import { checkConfiguration, checkTrust } from "./check-config.ts";
import { checkNode, checkProject, checkSockets } from "./check-machine.ts";
import { checkModels } from "./check-models.ts";
import { checkLeftovers, checkProcesses } from "./check-processes.ts";
import { checkBackends, checkGit } from "./check-programs.ts";
import { checkSchedules } from "./check-schedules.ts";
import type { Check, Finding } from "./finding.ts";

export interface ExamineOptions {
  /** Defaults to 5 s. */
  readonly versionTimeoutMs?: number;
  /** For one check; defaults to 8 s. */
  readonly deadlineMs?: number;
  /** Whether models are asked for a word, which costs a little. Defaults to false. */
  readonly isOnline?: boolean;
}

// The slowest needs two seconds on an idle machine.
const VERSION_TIMEOUT_MS = 5000;
const DEADLINE_MS = 8000;
// A program that was asked for its version has nothing to lose.
const GRACE_MS = 100;

/** Looks at everything that runs need here, side by side; changes nothing and never fails. With `isOnline` providers of models are asked, else nothing leaves this machine. */
export async function examine(
  machine: Machine,
  options: ExamineOptions = {},
): Promise<readonly Finding[]> {
  const { versionTimeoutMs = VERSION_TIMEOUT_MS, deadlineMs = DEADLINE_MS } = options;
  const { isOnline = false } = options;
  const { env, clock } = machine;
  const host = createHost({ run: "", clock, env, graceMs: GRACE_MS, reaper: false });
  const ports = { machine, host, versionTimeoutMs };
  const checks: readonly Check[] = [
    checkNode,
    checkProject(machine),
    checkSockets(machine),
    checkConfiguration(machine),
    checkTrust(machine),
    checkPlugins(machine),
    checkRuns(machine),
    checkSchedules(machine),
    checkLeftovers(machine),
    checkProcesses(machine, host),
    checkGit(ports),
    checkSandbox(machine),
    ...checkBackends(ports),
    checkModels(machine, isOnline),
  ];
  try {
    const found = await Promise.all(checks.map((check) => lookInTime(check, deadlineMs, machine)));
    return found.flat();
  } finally {
    await host.close();
  }
}

async function lookInTime(
  { subject, look }: Check,
  deadlineMs: number,
  { clock }: Pick<Machine, "clock">,
): Promise<readonly Finding[]> {
  const stop = new AbortController();
  const late = Promise.withResolvers<readonly Finding[]>();
  const timer = clock.startTimer(deadlineMs, () => {
    stop.abort(new Error("the doctor waits no longer"));
    late.resolve([{ subject, status: "warning", text: `no answer within ${deadlineMs / 1000} s` }]);
  });
  try {
    return await Promise.race([look(stop.signal), late.promise]);
  } catch (error) {
    const { message, hint } = toErrorReport(error);
    const next = hint === undefined ? {} : { hint };
    return [{ subject, status: "problem", stops: "runs", text: message, ...next }];
  } finally {
    timer.cancel();
  }
}

const SUBJECT = "plug-ins";

/** The plug-ins of the configuration: each is loaded, unless nobody trusts it. */
export function checkPlugins(machine: Machine): Check {
  return {
    subject: SUBJECT,
    look: async () => {
      const { config } = await machine.readConfig();
      // What is wrong with the configuration has been said by its own check.
      if (config === undefined) return [];
      return Promise.all(pluginFiles(machine, config).map(lookAt));
    },
  };
}

async function lookAt(plugin: PluginFile): Promise<Finding> {
  const { file, isTrusted } = plugin;
  if (!isTrusted) {
    const text = `${file} is left out: it is not trusted as it is now`;
    return { subject: SUBJECT, status: "warning", text, hint: "troupe trust" };
  }
  try {
    const names = piecesOf(await loadPlugin(plugin))
      .map(({ name }) => name)
      .join(", ");
    return { subject: SUBJECT, status: "ok", text: `${file}: ${names}` };
  } catch (error) {
    const { message, hint } = toErrorReport(error);
    const next = hint === undefined ? {} : { hint };
    return { subject: SUBJECT, status: "problem", stops: "runs", text: message, ...next };
  }
}

const RUNS = "runs";

/** Runs that wait, were let go, or cannot be read. */
function checkRuns(machine: Machine): Check {
  return {
    subject: RUNS,
    look: async () => {
      if (!existsSync(`${machine.project.runsDirectory}/.`))
        return [{ subject: RUNS, status: "ok", text: "no runs yet" }];
      const { runs, problems } = readRunList(machine);
      const count = (...states: readonly string[]) =>
        runs.filter(({ state, foreign }) => foreign === null && states.includes(state)).length;
      const foreign = runs.filter((run) => run.foreign !== null).length;
      return [
        { subject: RUNS, status: "ok", text: `${runs.length} run(s), ${count("running")} running` },
        ...note(count("waiting"), "wait for a person", "troupe inbox"),
        ...note(
          count("paused", "suspended"),
          "are not over",
          "troupe runs --status suspended --status paused, then troupe resume RUN",
        ),
        ...note(
          foreign,
          "were not made by you here",
          "troupe runs marks them; troupe import RUN makes one yours",
        ),
        ...note(problems.length, "cannot be read", "troupe show RUN says why"),
      ];
    },
  };
}

function note(count: number, what: string, hint: string): readonly Finding[] {
  return count === 0
    ? []
    : [{ subject: RUNS, status: "note", text: `${count} run(s) ${what}`, hint }];
}

/** Whether agents with `isolation: sandbox` can be confined here. */
function checkSandbox({ env }: Pick<Machine, "env">): Check {
  const subject = "sandbox";
  return {
    subject,
    look: async () => {
      try {
        const file = await findSandbox(env["PATH"]);
        const text = `${file}: home, sockets and processes of others hidden, calls filtered`;
        return [{ subject, status: "ok", text }];
      } catch (error) {
        if (!(error instanceof TroupeError)) throw error;
        const text = `${error.message}: isolation: sandbox is refused`;
        const hint = "install bubblewrap, if workflows ask for it";
        return [{ subject, status: "note", text, hint }];
      }
    },
  };
}
