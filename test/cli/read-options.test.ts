import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { optionKey } from "../../src/cli/command/option.ts";
import { loadCommands } from "../../src/cli/registry.ts";

const commands = await loadCommands();

const CLI = join(import.meta.dirname, "../../src/cli");
const registry = readFileSync(join(CLI, "registry.ts"), "utf8");

/** The sources of an action and of what it loads in `src/cli`, but for declarations. */
function sourcesOf(path: string, known: Set<string> = new Set()): string {
  if (known.has(path) || !path.startsWith(CLI) || path.includes("/commands/")) return "";
  known.add(path);
  const text = readFileSync(path, "utf8");
  const imported = [...text.matchAll(/(?:from |import\()"(\.[^"]+)"/g)].map(([, to = ""]) =>
    sourcesOf(resolve(dirname(path), to), known),
  );
  return [text, ...imported].join("\n");
}

/** Whether a source takes a property of this name from something. */
function reads(source: string, name: string): boolean {
  return new RegExp(`(?:\\.|[{,]\\s*|\\[")${name}\\b(?!\\()`).test(source);
}

test.each(commands.map((command) => [command.name, command] as const))(
  "what troupe %s declares is read by its action [CLI-1]",
  (name, { options = [] }) => {
    const [, action = ""] =
      new RegExp(`"${name}",[^;]*?import\\("\\./(actions/[^"]+)"`).exec(registry) ?? [];
    expect(action).toContain("actions/");
    const source = sourcesOf(join(CLI, action));
    // `--json=all` is rewritten to it, and then means `--json` where there is nothing more to print.
    const unread = options.map(optionKey).filter((option) => !reads(source, option));
    expect(unread).toEqual([]);
    expect(reads(source, "frobnicate")).toBe(false);
  },
);
