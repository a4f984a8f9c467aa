import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type ModelServer, startModelServer } from "../clients/model-server/model-server.ts";
import { type LiveTerminal, openTerminal } from "./live-view-terminal.ts";
import { createProject } from "./troupe-process.ts";

/** A person in a chat. */
export interface ChatTerminal {
  readonly terminal: LiveTerminal;
  readonly cwd: string;
  /** Writes a line and sends it. */
  readonly say: (text: string) => void;
}

export interface ChatTerminalOptions {
  readonly columns?: number;
  readonly cwd: string;
  readonly env?: { readonly [name: string]: string };
}

/** Begins a chat in a terminal of its own; resolves when one can write. */
export async function openChat(
  args: readonly string[],
  { columns = 100, cwd, env = {} }: ChatTerminalOptions,
): Promise<ChatTerminal> {
  const terminal = await openTerminal({ cwd, columns, rows: 30, env });
  terminal.troupe("chat", ...args);
  await terminal.seen(/alt-enter new line/);
  const say = (text: string) => {
    terminal.type(text);
    terminal.press("Enter");
  };
  return { terminal, cwd, say };
}

/** Ends the process of a chat from one moment to the next. */
export async function killChat({ terminal }: ChatTerminal): Promise<void> {
  const shell = terminal.ask("#{pane_pid}");
  const [pid = ""] = execFileSync("ps", ["-o", "pid=", "--ppid", shell], { encoding: "utf8" })
    .trim()
    .split(/\s+/);
  process.kill(Number(pid), "SIGKILL");
  await terminal.seen(/exit=137/);
}

/** A project of a user whose models are asked at a scripted server. */
export async function modelProject(files: { readonly [path: string]: string } = {}): Promise<{
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly server: ModelServer;
}> {
  const server = await startModelServer();
  onTestFinished(() => server.close());
  const cwd = createProject(files);
  const home = createProject({});
  mkdirSync(join(home, ".config/troupe"), { recursive: true });
  const baseUrl = `${server.urlFor("user")}/v1`;
  const config = `backends: { anthropic: { baseUrl: "${baseUrl}" } }\n`;
  writeFileSync(join(home, ".config/troupe/config.yaml"), config);
  const env = {
    ...{ HOME: home, XDG_CONFIG_HOME: join(home, ".config"), XDG_STATE_HOME: join(home, "state") },
    ANTHROPIC_API_KEY: "sk-ant-0123456789",
  };
  return { cwd, env, server };
}
