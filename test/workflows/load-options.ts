import { appendFileSync } from "node:fs";
import { z } from "zod";
import { describeBackend, knownBackends } from "../../src/agents/backends/registry.ts";
import { workflowShapes } from "../../src/app/workflow/shapes/registry.ts";
import type { KickoffDefinition, PatternDefinition } from "../../src/contracts/definition.ts";
import { builtInPatterns, loadPatterns } from "../../src/programs/patterns/registry.ts";
import { builtInStepTypes } from "../../src/programs/steps/registry.ts";
import { loadConverters } from "../../src/workflows/importers/registry.ts";
import {
  type LoadedWorkflow,
  type ParseOptions,
  parseWorkflow,
  type ReadOptions,
} from "../../src/workflows/parse-workflow.ts";
import { toReadable } from "../../src/workflows/resolve/file-shape.ts";
import type { LoadOptions } from "../../src/workflows/resolve/load-options.ts";

/** Options as the application would give them, for tests. */
export const loadOptions: ParseOptions = {
  shapes: await Promise.all(workflowShapes.map(toReadable)),
  knownPatterns: builtInPatterns,
  patterns: [
    {
      name: "fan-out",
      onFailure: "continue",
      order: "none",
      block: z.strictObject({ failFast: z.boolean().default(false) }),
    },
    ...(await loadPatterns()).filter(({ name }) => name !== "fan-out"),
  ],
  backends: knownBackends,
  traitsOf: describeBackend,
  defaultBackend: "claude",
  projectRoot: "/project",
  converters: await loadConverters(),
};

/** The same for what loads what a text takes. */
export const readOptions: ReadOptions = {
  ...loadOptions,
  shapes: workflowShapes,
  patterns: builtInPatterns,
  stepTypes: builtInStepTypes,
};

/** A pattern workflow that was loaded. */
export interface LoadedPattern extends LoadedWorkflow {
  readonly definition: PatternDefinition | undefined;
}

/** A kickoff workflow that was loaded. */
export interface LoadedKickoff extends LoadedWorkflow {
  readonly definition: KickoffDefinition | undefined;
}

/** As parseWorkflow; the slow tests of the editors' schemas look at every text that is loaded here. */
export function parse(text: string, file: string, options: ParseOptions): LoadedWorkflow {
  const loaded = parseWorkflow(text, file, options);
  const collection = process.env["TROUPE_TEST_TEXTS"];
  if (collection !== undefined) {
    const codes = loaded.problems.map(({ code }) => code);
    appendFileSync(collection, `${JSON.stringify({ file, text, codes })}\n`);
  }
  return loaded;
}

/** Loads a text as the pattern workflow `flow.yaml`. */
export function load(text: string, options: Partial<LoadOptions> = {}): LoadedPattern {
  const loaded = parse(text, "flow.yaml", { ...loadOptions, ...options });
  const { definition } = loaded;
  return { ...loaded, definition: definition?.shape === "pattern" ? definition : undefined };
}

/** Loads a text as the kickoff workflow `flow.yaml`. */
export function loadKickoff(text: string, options: Partial<LoadOptions> = {}): LoadedKickoff {
  const loaded = parse(text, "flow.yaml", { ...loadOptions, ...options });
  const { definition } = loaded;
  return { ...loaded, definition: definition?.shape === "kickoff" ? definition : undefined };
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
