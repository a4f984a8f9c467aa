import { usageInvalid } from "../command/errors.ts";
import type { OptionValues } from "../command/option.ts";
import type { attendOptions } from "../commands/parts/attend-options.ts";
import type { Io } from "../terminal/io.ts";
import type { Settings } from "../terminal/settings.ts";

/** What a run shows while it goes on. `tty`: the live view. `quiet`: nothing but the output of its result. */
export type Progress = "tty" | "plain" | "json" | "json-all" | "none" | "quiet";

/** The options that decide it. */
export type ProgressOptions = Partial<
  Pick<OptionValues<typeof attendOptions>, "progress" | "json" | "jsonAll">
>;

/**
 * The one form of progress that the options mean where the command runs. Raises USAGE_INVALID when they
 * exclude each other or the terminal that they need is not there.
 */
export function chooseProgress(
  options: ProgressOptions,
  { io, settings }: { readonly io: Io; readonly settings: Settings },
): Progress {
  const { progress = "auto", json = false, jsonAll = false } = options;
  const isJson = json || jsonAll || progress === "json";
  if (isJson && progress !== "auto" && progress !== "json")
    throw usageInvalid({ problem: `--json and --progress ${progress} exclude each other` });
  if (settings.isQuiet && (isJson || progress !== "auto"))
    throw usageInvalid({ problem: "--quiet goes neither with --json nor with --progress" });
  if (progress === "tty" && !io.stdout.isTerminal)
    throw usageInvalid({
      problem: "--progress tty needs a terminal, and standard output is none",
      hint: "leave it out, or use --progress plain",
    });
  if (settings.isQuiet) return "quiet";
  if (isJson) return jsonAll ? "json-all" : "json";
  if (progress === "auto") return isForPeople(io, settings) ? "tty" : "plain";
  return progress;
}

/** Whether a person is there, at a terminal that can move its cursor. */
function isForPeople({ env }: Io, { mayAsk }: Settings): boolean {
  const { TERM: terminal, CI: ci = "" } = env;
  return mayAsk && terminal !== "dumb" && ["", "0", "false"].includes(ci);
}
