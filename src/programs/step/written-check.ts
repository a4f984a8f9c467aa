import { z } from "zod";
import type { VerificationSpec } from "../../contracts/step.ts";
import { isDuration, parseDuration } from "../../foundation/duration.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import { patternProblem } from "../../foundation/path-pattern.ts";
import { present } from "../../foundation/present.ts";
import { compileRegex } from "../language/regex.ts";

const commandText = z.union([z.string().min(1), z.array(z.string()).min(1)]);
const durationText = z
  .string()
  .meta({ examples: ["30s", "10m"], pattern: "^\\d+(\\.\\d+)?(ms|s|m|h|d)$" });

/** Keys one of which says what a check of `verify` is. */
export const VERIFICATION_KINDS = [
  "command",
  "fileExists",
  "outputMatches",
  "jsonSchema",
  "gitChanged",
] as const;

/** For a JSON Schema: that exactly one of the keys is there. */
export function oneOfKeys(keys: readonly string[]): { readonly oneOf: object[] } {
  return { oneOf: keys.map((key) => ({ required: [key] })) };
}

const verificationKeys = z.strictObject({
  command: commandText.optional().describe("A command that must end with `expectExit`."),
  expectExit: z.int().min(0).max(255).optional().describe("Exit code of `command`. Default: 0."),
  timeout: durationText.optional().describe("How long `command` may run."),
  fileExists: z
    .string()
    .min(1)
    .optional()
    .describe("A file that must exist, relative to the agent's directory."),
  outputMatches: z
    .string()
    .min(1)
    .optional()
    .describe("A regular expression (RE2) that must be found in the output."),
  in: z
    .enum(["output", "text"])
    .optional()
    .describe(
      "Where `outputMatches` looks: in the output (default), or in the whole final text of the agent.",
    ),
  jsonSchema: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("A JSON Schema that the output must meet."),
  gitChanged: z
    .boolean()
    .optional()
    .describe("Whether the step must have changed the working tree, or must not have."),
  protect: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      "Files that the step must not touch, such as test/**, instead of what `command` runs; they are put back.",
    ),
});

/** One check of `verify`; which of its kinds is meant is decided by the key that is there. */
export const verificationSchema = verificationKeys.meta(oneOfKeys(VERIFICATION_KINDS));

/** What a file says of one check. */
export type VerificationEntry = z.infer<typeof verificationSchema>;

/** One check with every default filled in; its command gets the named variables of Troupe's own environment. */
export function toVerification(
  entry: VerificationEntry,
  passEnv: readonly string[] | undefined,
): VerificationSpec {
  const { command, expectExit, timeout, fileExists, outputMatches, jsonSchema, gitChanged } = entry;
  const more = present({ protect: entry.protect });
  if (fileExists !== undefined) return { kind: "fileExists", path: fileExists, ...more };
  if (outputMatches !== undefined)
    return {
      kind: "outputMatches",
      pattern: outputMatches,
      ...(entry.in === "text" ? { in: "text" as const } : {}),
      ...more,
    };
  if (jsonSchema !== undefined) return { kind: "jsonSchema", schema: jsonSchema, ...more };
  if (gitChanged !== undefined) return { kind: "gitChanged", changed: gitChanged, ...more };
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout);
  return {
    kind: "command",
    command: command ?? [],
    expectExit: expectExit ?? 0,
    tellsTests: true,
    ...present({ passEnv, timeoutMs }),
    ...more,
  };
}

/** What is wrong with one check of a pattern's block; undefined when nothing is. */
export function checkProblem(entry: VerificationEntry): string | undefined {
  const given = new Map<string, unknown>(Object.entries(entry));
  const kinds = VERIFICATION_KINDS.filter((kind) => given.get(kind) !== undefined);
  const [kind, other] = kinds;
  if (kind === undefined) return `a check needs one of ${VERIFICATION_KINDS.join(", ")}`;
  if (other !== undefined) return `a check has ${kind} and ${other}; write two checks`;
  const { expectExit, timeout, protect = [], outputMatches } = entry;
  if (kind !== "command" && (expectExit !== undefined || timeout !== undefined))
    return "expectExit and timeout belong to a check with a command";
  if (entry.in !== undefined && kind !== "outputMatches") return "in belongs to outputMatches";
  if (timeout !== undefined && !isDuration(timeout)) return `"${timeout}" is no duration`;
  for (const pattern of protect) {
    const problem = patternProblem(pattern);
    if (problem !== undefined) return `protect: "${pattern.slice(0, 60)}" ${problem}`;
  }
  return outputMatches === undefined ? undefined : regexProblem(outputMatches);
}

function regexProblem(pattern: string): string | undefined {
  try {
    compileRegex(pattern);
    return undefined;
  } catch (error) {
    return toErrorReport(error).message;
  }
}
