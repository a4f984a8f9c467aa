import { z } from "zod";
import type { LoadOptions } from "../../src/workflows/load-options.ts";
import type { LoadedWorkflow } from "../../src/workflows/parse-workflow.ts";
import { parseWorkflow } from "../../src/workflows/parse-workflow.ts";

/** Options as the application would give them, for tests. */
export const loadOptions: LoadOptions = {
  patterns: [
    { name: "dag", onFailure: "continue", order: "graph" },
    { name: "pipeline", onFailure: "abort", order: "list" },
    {
      name: "fan-out",
      onFailure: "continue",
      order: "none",
      block: z.strictObject({ failFast: z.boolean().default(false) }),
    },
  ],
  backends: [
    ...["claude", "codex", "gemini", "opencode", "cursor", "aider", "goose", "acp"],
    ...["model", "command", "function", "human", "script"],
  ],
  defaultBackend: "claude",
  projectRoot: "/project",
};

/** Loads a text as `flow.yaml`. */
export function load(text: string, options: Partial<LoadOptions> = {}): LoadedWorkflow {
  return parseWorkflow(text, "flow.yaml", { ...loadOptions, ...options });
}

/** The problems of a text in short: `CODE line:column message`. */
export function problemsOf(text: string, options: Partial<LoadOptions> = {}): readonly string[] {
  return load(text, options).problems.map(
    ({ code, line, column, message }) => `${code} ${line}:${column} ${message}`,
  );
}

/** A valid file with one agent `a`, with further lines at its end. */
export function fileWith(lines: string, pattern = "dag"): string {
  return `name: flow\npattern: ${pattern}\nagents: [{ id: a }]\n${lines}\n`;
}
