import { existsSync, lstatSync, rmSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { makeDirectory } from "../../foundation/make-directory.ts";
import { packageFile } from "../../foundation/package-file.ts";
import { readIfThere, replacePrivateFile } from "../machine/place/private-file.ts";
import type { Environment } from "../machine/place/project.ts";
import { loginEnvironment } from "./daemon-environment.ts";
import { daemonFiles } from "./daemon-files.ts";
import { loginFileForeign } from "./errors.ts";

// What the system is told with one file, so that nothing has to be run for it: a unit of systemd that is wanted by
// the user's session, or an agent of launchd, which starts whatever lies in its directory.

/** How the system of this machine starts a user's programs at login. */
export interface LoginStart {
  readonly by: "systemd" | "launchd";
  /** The file that says it. */
  readonly file: string;
  readonly text: string;
  /** A link that makes the file take effect; undefined where the file alone does. */
  readonly link: string | undefined;
}

/** How it is now: `other` when the file is of another version or place of troupe. */
export type LoginState = "missing" | "ready" | "other" | "foreign";

/** The program that is started, with what it is given. */
export interface LoginProgram {
  readonly platform: string;
  readonly command: readonly string[];
}

const MARK = "Written by troupe doctor; it writes it anew whenever it is asked to";

/** The program that serves as the daemon on this machine. */
export function loginProgram(): LoginProgram {
  const command = [process.execPath, packageFile("bin/troupe.js"), "daemon", "serve"];
  return { platform: process.platform, command };
}

/** How a daemon is started at login; undefined on other systems than Linux and macOS. Touches no file. */
export function loginStart(
  env: Environment,
  { platform, command }: LoginProgram,
): LoginStart | undefined {
  const home = env["HOME"] || homedir();
  const log = daemonFiles(env).log;
  if (platform === "darwin") {
    const file = join(home, "Library/LaunchAgents/dev.troupe.daemon.plist");
    return { by: "launchd", file, text: launchdText(env, command, log), link: undefined };
  }
  if (platform !== "linux") return undefined;
  const xdg = env["XDG_CONFIG_HOME"];
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(home, ".config");
  const units = join(base, "systemd/user");
  return {
    by: "systemd",
    file: join(units, "troupe.service"),
    text: systemdText(env, command, log),
    link: join(units, "default.target.wants/troupe.service"),
  };
}

/** Whether it is set up already. Raises errors of the system. */
export function loginState({ file, text, link }: LoginStart): LoginState {
  const found = readIfThere(file);
  if (found === undefined) return "missing";
  if (!found.includes(MARK)) return "foreign";
  if (found !== text) return "other";
  return link === undefined || existsSync(link) ? "ready" : "missing";
}

/** Sets it up. Raises DAEMON_LOGIN_FOREIGN where somebody else wrote the file, and errors of the system. */
export function writeLoginStart(start: LoginStart): void {
  const { file, text, link } = start;
  if (loginState(start) === "foreign") throw loginFileForeign({ file });
  makeDirectory(dirname(file), 0o700);
  replacePrivateFile(file, text);
  if (link === undefined) return;
  makeDirectory(dirname(link), 0o700);
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(link);
  symlinkSync(file, link);
}

function systemdText(env: Environment, command: readonly string[], log: string): string {
  const variables = Object.entries(loginEnvironment(env)).map(
    ([name, value]) => `Environment=${quoted(`${name}=${value}`)}`,
  );
  return [
    `# ${MARK}`,
    "[Unit]",
    "Description=Background runs and schedules of troupe",
    "",
    "[Service]",
    `ExecStart=${command.map(quoted).join(" ")}`,
    ...variables,
    `StandardOutput=append:${log.replaceAll("%", "%%")}`,
    "StandardError=inherit",
    "Restart=on-failure",
    "RestartSec=30",
    // It ends what its runs started by itself, and lets go of them before.
    "KillMode=mixed",
    "TimeoutStopSec=20",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
}

/** A word of a unit: without quotes, variables and specifiers of its own. */
function quoted(word: string): string {
  const escaped = word
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("%", "%%")
    .replaceAll("$", "$$$$")
    .replaceAll("\n", "\\n");
  return `"${escaped}"`;
}

function launchdText(env: Environment, command: readonly string[], log: string): string {
  const text = (value: string) => `<string>${escapeXml(value)}</string>`;
  const variables = Object.entries(loginEnvironment(env)).flatMap(([name, value]) => [
    `    <key>${escapeXml(name)}</key>`,
    `    ${text(value)}`,
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    `<!-- ${MARK} -->`,
    '<plist version="1.0">',
    "<dict>",
    "  <key>Label</key>",
    "  <string>dev.troupe.daemon</string>",
    "  <key>ProgramArguments</key>",
    "  <array>",
    ...command.map((word) => `    ${text(word)}`),
    "  </array>",
    "  <key>EnvironmentVariables</key>",
    "  <dict>",
    ...variables,
    "  </dict>",
    "  <key>RunAtLoad</key>",
    "  <true/>",
    "  <key>StandardOutPath</key>",
    `  ${text(log)}`,
    "  <key>StandardErrorPath</key>",
    `  ${text(log)}`,
    "</dict>",
    "</plist>",
    "",
  ].join("\n");
}

function escapeXml(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
