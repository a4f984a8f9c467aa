import { MODEL } from "../../agents/backends/model/model-descriptor.ts";
import type { SignIn } from "../../contracts/backend.ts";
import { toPrintable } from "../../foundation/printable.ts";
import type { ProcessHost } from "../../host/host.ts";
import { findProgram } from "../../host/system/find-program.ts";
import {
  type AgentProgram,
  agentPrograms,
  versionNote,
} from "../machine/backends/agent-programs.ts";
import { type BackendState, lookUpBackend } from "../machine/backends/backend-state.ts";
import { chooseDefaultBackend, type DefaultBackend } from "../machine/backends/default-backend.ts";
import type { ConfigSettings } from "../machine/config/config-settings.ts";
import { configOf } from "../machine/effective/effective-config.ts";
import type { Machine } from "../machine/machine.ts";
import type { Check, Finding } from "./finding.ts";

/** What the checks of programs need; `versionTimeoutMs` bounds one `--version`. */
export interface ProgramPorts {
  readonly machine: Machine;
  readonly host: ProcessHost;
  readonly versionTimeoutMs: number;
}

const MAX_VERSION_CHARS = 60;

/** Git, by which runs tell what they changed. */
export function checkGit(ports: ProgramPorts): Check {
  const subject = "git";
  return {
    subject,
    look: async (signal) => {
      const path = findProgram("git", ports.host.baseEnv({}), ports.machine.project.cwd);
      if (path === undefined) {
        const text = "not installed: {{git.diff}} is empty and gitChanged never holds";
        return [{ subject, status: "note", text, hint: "install git" }];
      }
      const version = await askVersion(path, ports, signal);
      if (version.status === "answered")
        return [{ subject, status: "ok", text: `${version.text} (${path})` }];
      return [{ subject, status: "warning", text: `${path} ${version.text}` }];
    },
  };
}

/** Every backend: those of troupe itself in one line, each program of others in its own. */
export function checkBackends(ports: ProgramPorts): readonly Check[] {
  return [
    {
      subject: "backends",
      look: async () => [
        builtIn(),
        ...(await defaultFindings(ports)),
        ...(await ownFindings(ports)),
      ],
    },
    ...agentPrograms.map((known) => ({
      subject: known.backend,
      look: async (signal: AbortSignal) => [await programFinding(known, ports, signal)],
    })),
  ];
}

/** Backends that the configuration defines. Their programs may be anything, so none is started. */
async function ownFindings(ports: ProgramPorts): Promise<readonly Finding[]> {
  const { backends = {} } = await settingsOf(ports);
  const names = Object.keys(backends).filter((name) => backends[name]?.type !== undefined);
  const states = await Promise.all(names.map((name) => lookUp(name, ports)));
  return states.map(({ backend: subject, status, message: text, hint }) => ({
    subject,
    status: status === "ready" ? "ok" : "note",
    text,
    ...(hint === undefined ? {} : { hint }),
  }));
}

function builtIn(): Finding {
  const text = "command, function, human and script agents run without anything else";
  return { subject: "backends", status: "ok", text };
}

async function settingsOf({ machine }: ProgramPorts): Promise<ConfigSettings> {
  const { config } = await machine.readConfig();
  // With a broken configuration the rest is looked at as if there were none.
  return config === undefined ? {} : (await configOf(machine)).settings;
}

async function lookUp(backend: string, ports: ProgramPorts): Promise<BackendState> {
  const { env, project } = ports.machine;
  return lookUpBackend(backend, { env, cwd: project.cwd, settings: await settingsOf(ports) });
}

async function defaultFindings(ports: ProgramPorts): Promise<readonly Finding[]> {
  const { env, project } = ports.machine;
  const settings = await settingsOf(ports);
  const state = await chooseDefaultBackend({ env, cwd: project.cwd, settings });
  return [toDefaultFinding(state)];
}

/** What agents run on that name nothing. */
function toDefaultFinding(state: DefaultBackend): Finding {
  const subject = "default";
  const { backend, status, origin, message } = state;
  if (backend === MODEL.name && origin === "found") {
    const text = `${message} (no program of an agent is ready, its key is there) for agents that name no backend`;
    return { subject, status: "ok", text };
  }
  const why = origin === "configuration" ? "configured" : "the first that is ready";
  if (status === "ready")
    return { subject, status: "ok", text: `${backend} (${why}) for agents that name no backend` };
  const other = "name a backend in the workflow or with --backend; --backend script needs nothing";
  const hint = state.hint === undefined ? other : `${state.hint}, or ${other}`;
  const none =
    "none of claude, codex, gemini and opencode is ready, and no key of a model is there,";
  const text =
    origin === "configuration"
      ? `${backend} is configured for agents that name no backend: ${message}`
      : `${none} for agents that name no backend: ${backend}: ${message}`;
  return { subject, status: "problem", stops: "default-backend", text, hint };
}

async function programFinding(
  known: AgentProgram,
  ports: ProgramPorts,
  signal: AbortSignal,
): Promise<Finding> {
  const state = await lookUp(known.backend, ports);
  const { backend: subject, program, status, message, hint } = state;
  const next = hint === undefined ? {} : { hint };
  if (program === undefined) return { subject, status: "note", text: message, ...next };
  const account = status === "ready" ? signInWords(state.signIn) : message;
  if (!isKnownProgram(program))
    return {
      subject,
      status: "note",
      text: [program, account].filter(Boolean).join(": "),
      ...next,
    };
  const version = await askVersion(program, ports, signal);
  const told =
    version.status === "answered" ? `${version.text} (${program})` : `${program} ${version.text}`;
  const note = version.status === "answered" ? versionNote(known, version.text) : undefined;
  const text = [told, account, note].filter((part) => part !== undefined && part !== "").join("; ");
  if (version.status === "failed") return { subject, status: "warning", text, ...next };
  const isPlain = status === "ready" && note === undefined;
  return { subject, status: isPlain ? "ok" : "note", text, ...next };
}

/** How agents are signed in, and what keeps what others have configured away from them. */
function signInWords(signIn: SignIn | undefined): string {
  switch (signIn?.by) {
    case "key":
      return `signed in by ${signIn.variable}: each agent has a private configuration`;
    case "login":
      return `signed in by the login in ${signIn.directory}, which agents use; flags keep its other settings out`;
    case "nothing":
    case undefined:
      return "";
  }
}

/** Only programs of known names are started: a configuration may name any. */
function isKnownProgram(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return agentPrograms.some(({ file }) => file === name);
}

type VersionAnswer = { readonly status: "answered" | "failed"; readonly text: string };

async function askVersion(
  program: string,
  { host, versionTimeoutMs: timeoutMs }: ProgramPorts,
  signal: AbortSignal,
): Promise<VersionAnswer> {
  // Not in the project: programs read the configuration of the directory that they start in.
  const request = { command: [program, "--version"], cwd: "/", env: host.baseEnv({}), timeoutMs };
  const result = await host.run({ ...request, maxOutputChars: 4096 }, signal);
  if (result.timedOut) return failed(`gives no version within ${timeoutMs / 1000} s`);
  const line = toPrintable(result.stdout.trim().split("\n")[0] ?? "");
  if (result.exitCode !== 0) return failed("cannot say its version: it failed");
  if (!/\d+\.\d+/.test(line) || line.length > MAX_VERSION_CHARS)
    return failed("answers --version with something else than a version");
  return { status: "answered", text: line };
}

function failed(text: string): VersionAnswer {
  return { status: "failed", text };
}
