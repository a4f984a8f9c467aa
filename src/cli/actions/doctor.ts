import { arch, homedir, platform, release } from "node:os";
import { loginUnsupported } from "../../app/background/errors.ts";
import { loginProgram, loginStart, writeLoginStart } from "../../app/background/login-start.ts";
import { examine } from "../../app/doctor/examine.ts";
import { examineRun } from "../../app/doctor/examine-run.ts";
import type { Finding, Obstacle } from "../../app/doctor/finding.ts";
import { knownSecrets } from "../../app/machine/effective/effective-config.ts";
import { createMachineAt, type Machine } from "../../app/machine/machine.ts";
import { VERSION } from "../../app/machine/place/version.ts";
import { resolveRun } from "../../app/runs/run-lookup.ts";
import { count } from "../../foundation/count.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { createSecretMasker } from "../../foundation/secret-masker.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { asCalled } from "../command/suggested-commands.ts";
import type { doctorCommand } from "../commands/doctor.ts";
import type { Settings } from "../terminal/settings.ts";

/** `troupe doctor` */
export const doctorAction: ActionOf<typeof doctorCommand> = async ({
  args,
  options,
  io,
  settings,
}) => {
  const { bugReport: isReport, json: isJson, online: isOnline, atLogin } = options;
  if (atLogin && args.length > 0) throw usageInvalid({ problem: "--at-login examines no run" });
  if (atLogin) return setUpLogin({ isReport, isJson, isOnline }, io);
  if (isReport && isJson)
    throw usageInvalid({ problem: "--bug-report and --json exclude each other" });
  const machine = createMachineAt({ cwd: settings.cwd, env: io.env });
  const [run] = args;
  if (run !== undefined && (isReport || isOnline))
    throw usageInvalid({ problem: "with a run, only --json can be given" });
  const findings =
    run === undefined
      ? await examine(machine, { isOnline })
      : examineRun(machine, resolveRun(machine.store, run));
  const exitCode = exitCodeFor(findings);
  if (isReport) io.stdout.write(await bugReport(machine, findings));
  else if (isJson) {
    const ok = exitCode === EXIT.completed;
    io.stdout.write(`${JSON.stringify({ v: 1, troupe: VERSION, ok, exitCode, findings })}\n`);
  } else {
    const good = run === undefined ? "runs can work here" : "the run is intact";
    io.stdout.write(`${findingLines(findings, settings, good).join("\n")}\n`);
  }
  return exitCode;
};

/** Has the system start the daemon at login. Raises DAEMON_LOGIN_FOREIGN, DAEMON_LOGIN_UNSUPPORTED, USAGE_INVALID. */
function setUpLogin(
  {
    isReport,
    isJson,
    isOnline,
  }: { readonly [flag in "isReport" | "isJson" | "isOnline"]: boolean },
  { env, stdout }: Invocation["io"],
): number {
  if (isReport || isOnline)
    throw usageInvalid({ problem: "--at-login examines nothing: leave the other flags out" });
  const program = loginProgram();
  const start = loginStart(env, program);
  if (start === undefined) throw loginUnsupported({ platform: program.platform });
  writeLoginStart(start);
  const { by, file } = start;
  if (isJson) stdout.write(`${JSON.stringify({ v: 1, by, file })}\n`);
  else
    stdout.write(
      `${toPrintable(file)} is written: ${by} starts the daemon at your next login\n  it has no keys of your shell; take it back by removing the file\n`,
    );
  return EXIT.completed;
}

function exitCodeFor(findings: readonly Finding[]): number {
  const stops = (obstacle: Obstacle) => findings.some((finding) => finding.stops === obstacle);
  if (stops("configuration")) return EXIT.usage;
  if (stops("runs")) return EXIT.failed;
  return stops("default-backend") ? EXIT.backend : EXIT.completed;
}

function findingLines(
  findings: readonly Finding[],
  settings: Settings,
  good: string,
): readonly string[] {
  const { glyphs, paint } = settings;
  const marks = {
    ok: glyphs.done,
    note: glyphs.dot,
    warning: paint(glyphs.attention, "warning"),
    problem: paint(glyphs.failed, "error"),
  };
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  const shown = settings.isQuiet ? findings.filter(({ status }) => status !== "ok") : findings;
  const lines = shown.flatMap(({ subject, status, text, hint }) => [
    `${marks[status]} ${subject.padEnd(width)}  ${toPrintable(text)}`,
    ...(hint === undefined
      ? []
      : [`${" ".repeat(width + 4)}${glyphs.arrow} ${paint(toPrintable(asCalled(hint)), "hint")}`]),
  ]);
  const problems = findings.filter(({ status }) => status === "problem").length;
  const verdict = problems === 0 ? good : count(problems, "problem");
  return [`troupe ${VERSION}`, ...lines, verdict];
}

/**
 * What somebody who mends troupe needs to know, as Markdown to paste: no secrets, no names of the user's
 * directories, nothing of what the runs are about.
 */
async function bugReport(machine: Machine, findings: readonly Finding[]): Promise<string> {
  const { config } = await machine.readConfig();
  const masker = createSecretMasker(knownSecrets(config?.settings ?? {}, machine.env));
  const keys = [
    ...new Set((config?.values ?? []).map(({ path, origin }) => `${path[0]} (${origin.level})`)),
  ];
  const lines = [
    `- troupe ${VERSION}`,
    `- Node ${process.version.slice(1)}, ${platform()} ${release()} ${arch()}`,
    `- terminal ${machine.env["TERM"] ?? "none"}, locale ${machine.env["LANG"] ?? "none"}`,
    `- configuration: ${keys.join(", ")}; trust ${config?.trust ?? "unknown"}`,
    ...findings.map(({ subject, status, text }) => `- ${subject}: ${status}: ${text}`),
  ];
  const text = lines.map((line) => withoutPlaces(masker.mask(toPrintable(line)), machine));
  return ["### Where it happened", "", ...text, ""].join("\n");
}

function withoutPlaces(line: string, { project, env }: Machine): string {
  const home = env["HOME"] || homedir();
  const hidden = line.replaceAll(project.root, "PROJECT");
  return home === "/" ? hidden : hidden.replaceAll(home, "~");
}
