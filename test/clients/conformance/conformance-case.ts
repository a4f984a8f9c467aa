import type { Bench } from "./bench.ts";

/** Names a case in `AgentFixture.cannot`. */
export type ConformanceKey =
  | "turn"
  | "stream"
  | "system-prompt"
  | "huge"
  | "usage"
  | "usage-resumed"
  | "memory"
  | "resume"
  | "resume-unknown"
  | "steer"
  | "tools"
  | "context-tool"
  | "allowed"
  | "denied"
  | "denied-note"
  | "permission-cancelled"
  | "tool-filter"
  | "cancel-tool"
  | "cancel-next"
  | "silence"
  | "close"
  | "crash"
  | "exit"
  | "refusal"
  | "error-400"
  | "error-401"
  | "error-429"
  | "error-500"
  | "cut"
  | "hostile"
  | "home"
  | "login"
  | "addresses";

/** One promise of every backend of a real client. */
export interface ConformanceCase {
  readonly key: ConformanceKey;
  /** A sentence, ending in the requirements that it proves. */
  readonly name: string;
  run(bench: Bench): Promise<void>;
}
