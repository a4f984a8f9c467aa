/** An agent that comes as a program of somebody else. */
export interface AgentProgram {
  /** Name of the backend. */
  readonly backend: string;
  /** What is looked up on PATH, unless the configuration names another command. */
  readonly program: string;
  /** How to get it, as one command or address. */
  readonly install: string;
  /** How to sign in. */
  readonly signIn: string;
  /** The version that troupe was tested with; undefined for programs that were never driven for real. */
  readonly tested: string | undefined;
}

/** The programs that troupe knows, those that may be chosen by themselves first. */
export const agentPrograms: readonly AgentProgram[] = [
  {
    backend: "claude",
    program: "claude",
    install: "npm install -g @anthropic-ai/claude-code",
    signIn: "start claude once, or set ANTHROPIC_API_KEY",
    tested: "2.1.330",
  },
  {
    backend: "codex",
    program: "codex",
    install: "npm install -g @openai/codex",
    signIn: "codex login, or set OPENAI_API_KEY",
    tested: "0.169.0",
  },
  {
    backend: "gemini",
    program: "gemini",
    install: "npm install -g @google/gemini-cli",
    signIn: "start gemini once, or set GEMINI_API_KEY",
    tested: "0.61.0",
  },
  {
    backend: "opencode",
    program: "opencode",
    install: "npm install -g opencode-ai",
    signIn: "opencode auth login, or set the key of a model, such as ANTHROPIC_API_KEY",
    tested: "1.18.33",
  },
  {
    backend: "cursor",
    program: "cursor-agent",
    install: "see https://cursor.com/cli",
    signIn: "cursor-agent login, or set CURSOR_API_KEY",
    tested: undefined,
  },
  {
    backend: "aider",
    program: "aider",
    install: "python -m pip install aider-chat",
    signIn: "set the key of a model, such as ANTHROPIC_API_KEY",
    tested: undefined,
  },
  {
    backend: "goose",
    program: "goose",
    install: "see https://block.github.io/goose",
    signIn: "goose configure",
    tested: undefined,
  },
];

/** Backends of which the first that is ready runs agents for which nothing else is chosen (WF-12). */
export const CHOSEN_BY_THEMSELVES: readonly string[] = ["claude", "codex", "gemini", "opencode"];

/**
 * What is to be said of the version that a program tells of itself; undefined for one of the series that troupe
 * was tested with.
 */
export function versionNote({ tested }: AgentProgram, told: string): string | undefined {
  if (tested === undefined) return "never driven by troupe's own tests";
  const [version] = /\d+\.\d+(?:\.\d+)?/.exec(told) ?? [];
  if (version === undefined || seriesOf(version) === seriesOf(tested)) return undefined;
  const age = isOlder(version, tested) ? "older" : "newer";
  return `${age} than ${tested}, which troupe was tested with`;
}

/** Patches change no protocol. */
function seriesOf(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

function isOlder(left: string, right: string): boolean {
  const [ours, theirs] = [left, right].map((version) => version.split(".").map(Number));
  const index = (ours ?? []).findIndex((part, at) => part !== theirs?.[at]);
  return (ours?.[index] ?? 0) < (theirs?.[index] ?? 0);
}
