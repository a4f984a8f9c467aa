import type { PrintedOutput } from "../foundation/failure-report/printed-output.ts";
import type { Json } from "../foundation/json.ts";

/** Output of a program that failed, as journals keep it: the beginning and the end of each stream. */
export interface FailureRecord extends PrintedOutput {
  /**
   * What agents get of it, made when it failed. Absent: recorded by a version that made none, or not for agents.
   */
  readonly report?: string;
}

/** How the command of a step ended, for those after it. */
export interface CommandEnd {
  /** Null after a signal or a timeout. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Error of a command whose failure `allowFailure` let pass. */
  readonly error?: AllowedError;
}

/** Error of a step that counts as completed. */
export interface AllowedError {
  readonly code: string;
  readonly message: string;
  /** What agents get of it. */
  readonly report: string;
}

/** End of a step as variables and conditions see it, the same in every kind of workflow. */
export interface StepFacts {
  readonly status: "completed" | "failed" | "skipped" | "blocked" | "cancelled";
  /** Of a failed step what its command printed or its agent said last. */
  readonly output: string;
  readonly text: string;
  /** `exit`, `verified`, `exit 3` where a failure was allowed; of a failed step the code of its error; else empty. */
  readonly outcome: string;
  /** Null for agents, and after a signal or a timeout. */
  readonly exitCode: number | null;
  /** Without the newline at its end; null for agents. */
  readonly stdout: string | null;
  readonly stderr: string | null;
  /** Null without a failure; also that of a command whose failure was allowed. */
  readonly error: AllowedError | null;
  readonly attempts: number;
  readonly durationMs: number;
}

const NOTHING = {
  ...{ output: "", text: "", outcome: "", exitCode: null, stdout: null, stderr: null },
  ...{ error: null, attempts: 0, durationMs: 0 },
} as const;

/** Facts of a step that did nothing. */
export function factsOfNothing(status: "skipped" | "blocked" | "cancelled"): StepFacts {
  return { status, ...NOTHING };
}

/** What a command adds to the facts of its step. */
export function commandFacts(
  command: CommandEnd | undefined,
): Pick<StepFacts, "exitCode" | "stdout" | "stderr"> {
  const { exitCode = null, stdout = null, stderr = null } = command ?? {};
  return { exitCode, stdout, stderr };
}

/** The end of a shell step of a step workflow, which has it in its data; undefined without one. */
export function commandInData(data: Json): CommandEnd | undefined {
  if (data === null || typeof data !== "object" || Array.isArray(data)) return undefined;
  const { exitCode = null, stdout, stderr } = toMembers(data);
  if (typeof stdout !== "string" || typeof stderr !== "string") return undefined;
  const code = typeof exitCode === "number" ? exitCode : null;
  return { exitCode: code, stdout: withoutNewline(stdout), stderr: withoutNewline(stderr) };
}

function toMembers(data: object): { readonly [name: string]: unknown } {
  return { ...data };
}

function withoutNewline(text: string): string {
  return text.replace(/\r?\n$/, "");
}
