import { existsSync, globSync } from "node:fs";
import { join } from "node:path";

/** A program from npm in the exact version that the tests are written for. */
export interface PinnedProgram {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** Program and first arguments in an installation; undefined where this platform has none. */
  findProgram(modules: string): readonly [string, ...string[]] | undefined;
}

/** An agent's command line. */
export interface PinnedClient extends PinnedProgram {
  readonly name: ClientName;
}

/** Names of the clients. */
export type ClientName = "claude" | "codex" | "gemini" | "opencode";

// The names of platform packages; without install scripts their programs are called directly.
const platform = `${process.platform}-${process.arch}`;

/** All clients that tests may drive. */
export const pinnedClients: readonly PinnedClient[] = [
  {
    name: "claude",
    package: "@anthropic-ai/claude-code",
    version: "2.1.330",
    findProgram: (modules) => fileAt(modules, `@anthropic-ai/claude-code-${platform}/claude`),
  },
  {
    name: "codex",
    package: "@openai/codex",
    version: "0.169.0",
    findProgram: (modules) => fileAt(modules, `@openai/codex-${platform}/vendor/*/bin/codex`),
  },
  {
    name: "gemini",
    package: "@google/gemini-cli",
    version: "0.61.0",
    findProgram: (modules) => {
      const script = join(modules, "@google/gemini-cli/bundle/gemini.js");
      return existsSync(script) ? [process.execPath, script] : undefined;
    },
  },
  {
    name: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    findProgram: (modules) => fileAt(modules, `opencode-${platform}/bin/opencode`),
  },
];

function fileAt(modules: string, pattern: string): readonly [string] | undefined {
  const [found] = globSync(pattern, { cwd: modules });
  return found === undefined ? undefined : [join(modules, found)];
}
