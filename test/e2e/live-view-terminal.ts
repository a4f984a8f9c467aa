import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const bin = join(import.meta.dirname, "../../bin/troupe.js");

/** A person at a real terminal: a shell in tmux. */
export interface LiveTerminal {
  /** Types `troupe` with these arguments. */
  readonly troupe: (...args: readonly string[]) => void;
  /** Types a text as it is. */
  readonly type: (text: string) => void;
  /** Presses keys by the names that tmux has for them. */
  readonly press: (...keys: readonly string[]) => void;
  readonly paste: (text: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  /** What is to be seen now. */
  readonly screen: () => readonly string[];
  /** Everything that was written, in lines as they were written. */
  readonly history: () => readonly string[];
  /** Resolves with the line as soon as one that is to be seen matches. */
  readonly seen: (pattern: RegExp) => Promise<string>;
  /** Resolves as soon as nothing that is to be seen matches. */
  readonly gone: (pattern: RegExp) => Promise<void>;
  /** A property of the terminal in the words of tmux. */
  readonly ask: (format: string) => string;
}

export interface LiveTerminalOptions {
  readonly cwd: string;
  readonly columns: number;
  readonly rows: number;
  readonly env?: { readonly [name: string]: string };
}

const LOOK_EVERY_MS = 50;
const PATIENCE_MS = 30_000;

/** Opens a terminal; it goes with the test. */
export async function openTerminal(options: LiveTerminalOptions): Promise<LiveTerminal> {
  const { cwd, columns, rows, env = {} } = options;
  const sockets = mkdtempSync(join(tmpdir(), "troupe-tmux-"));
  const tmux = (...args: readonly string[]) =>
    execFileSync("tmux", ["-u", "-L", "troupe-e2e", "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env: { ...surroundings(env), TMUX_TMPDIR: sockets },
    });
  tmux("new-session", "-d", "-x", `${columns}`, "-y", `${rows}`, "-c", cwd, "sh", "-i");
  onTestFinished(() => {
    tmux("kill-server");
    rmSync(sockets, { recursive: true, force: true });
  });
  const linesOf = (text: string) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => line.trimEnd());
  const screen = () => linesOf(tmux("capture-pane", "-p"));
  const until = async <Result>(what: string, look: () => Result | undefined): Promise<Result> => {
    for (const startedMs = performance.now(); ; ) {
      const found = look();
      if (found !== undefined) return found;
      if (performance.now() - startedMs > PATIENCE_MS)
        throw new Error(`${what} in time:\n${screen().join("\n")}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  };
  const terminal: LiveTerminal = {
    troupe: (...args) => {
      tmux(
        "send-keys",
        "-l",
        [process.execPath, bin, ...args.map(quote), "; echo exit=$?"].join(" "),
      );
      tmux("send-keys", "Enter");
    },
    type: (text) => void tmux("send-keys", "-l", text),
    press: (...keys) => {
      for (const key of keys) tmux("send-keys", key);
    },
    paste: (text) => {
      tmux("set-buffer", text);
      tmux("paste-buffer", "-p");
    },
    resize: (width, height) => void tmux("resize-window", "-x", `${width}`, "-y", `${height}`),
    screen,
    history: () => linesOf(tmux("capture-pane", "-p", "-J", "-S", "-")),
    seen: (pattern) =>
      until(`${pattern} was not seen`, () => screen().find((line) => pattern.test(line))),
    gone: async (pattern) => {
      await until(`${pattern} was not gone`, () =>
        screen().some((line) => pattern.test(line)) ? undefined : true,
      );
    },
    ask: (format) => tmux("display-message", "-p", format).trimEnd(),
  };
  await terminal.seen(/^ready>$/);
  return terminal;
}

function surroundings(env: { readonly [name: string]: string }): {
  readonly [name: string]: string | undefined;
} {
  const { PATH, HOME, TMPDIR, TROUPE_CALLED_AS } = process.env;
  const own = { PATH, HOME, TMPDIR, TROUPE_CALLED_AS };
  return { ...own, LANG: "C.UTF-8", PS1: "ready> ", TERM: "xterm-256color", ...env };
}

function quote(argument: string): string {
  return /^[\w./@=-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
