import { usageInvalid } from "../errors.ts";

/** What a run shows while it goes on. `quiet`: nothing but the output of its result. */
export type Progress = "plain" | "json" | "json-all" | "none" | "quiet";

/** The options that decide it, as they were given. */
export interface ProgressOptions {
  readonly progress?: "auto" | "plain" | "json" | "none";
  readonly json?: boolean;
  readonly jsonAll?: boolean;
}

/** The one form of progress that the options mean. Raises USAGE_INVALID when they exclude each other. */
export function chooseProgress(options: ProgressOptions, isQuiet: boolean): Progress {
  const { progress = "auto", json = false, jsonAll = false } = options;
  const isJson = json || jsonAll || progress === "json";
  if (isJson && progress !== "auto" && progress !== "json")
    throw usageInvalid({ problem: `--json and --progress ${progress} exclude each other` });
  if (isQuiet && (isJson || progress !== "auto"))
    throw usageInvalid({ problem: "--quiet goes neither with --json nor with --progress" });
  if (isQuiet) return "quiet";
  if (isJson) return jsonAll ? "json-all" : "json";
  return progress === "none" ? "none" : "plain";
}
