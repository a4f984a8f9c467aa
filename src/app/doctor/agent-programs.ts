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
}

/** The programs that troupe knows, those that may be chosen by themselves first. */
export const agentPrograms: readonly AgentProgram[] = [
  {
    backend: "claude",
    program: "claude",
    install: "npm install -g @anthropic-ai/claude-code",
    signIn: "start claude once, or set ANTHROPIC_API_KEY",
  },
  {
    backend: "codex",
    program: "codex",
    install: "npm install -g @openai/codex",
    signIn: "codex login, or set OPENAI_API_KEY",
  },
  {
    backend: "gemini",
    program: "gemini",
    install: "npm install -g @google/gemini-cli",
    signIn: "start gemini once, or set GEMINI_API_KEY",
  },
  {
    backend: "opencode",
    program: "opencode",
    install: "npm install -g opencode-ai",
    signIn: "opencode auth login",
  },
  {
    backend: "cursor",
    program: "cursor-agent",
    install: "see https://cursor.com/cli",
    signIn: "cursor-agent login",
  },
  {
    backend: "aider",
    program: "aider",
    install: "python -m pip install aider-chat",
    signIn: "set the key of a model, such as ANTHROPIC_API_KEY",
  },
  {
    backend: "goose",
    program: "goose",
    install: "see https://block.github.io/goose",
    signIn: "goose configure",
  },
];

/** Backends of which the first that is ready runs agents for which nothing else is chosen (WF-12). */
export const CHOSEN_BY_THEMSELVES: readonly string[] = ["claude", "codex", "gemini", "opencode"];
