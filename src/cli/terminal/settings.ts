import { resolve } from "node:path";
import { ASCII_GLYPHS, type Glyphs, UNICODE_GLYPHS } from "./glyphs.ts";
import type { Io, Output } from "./io.ts";
import { createPaint, type Paint } from "./paint.ts";

/** How a command tells its errors. */
export type ErrorForm = "text" | "document" | "lines";

/** What the global options and the surroundings come to. */
export interface Settings {
  /** Absolute. */
  readonly cwd: string;
  readonly isQuiet: boolean;
  readonly isVerbose: boolean;
  /** Whether a confirmation is taken for granted. */
  readonly saysYes: boolean;
  /** Whether a person sits at the terminal and may be asked. */
  readonly mayAsk: boolean;
  /** Colours of what goes to standard output. */
  readonly paint: Paint;
  /** Colours of what goes to standard error. */
  readonly paintError: Paint;
  readonly glyphs: Glyphs;
  /** What errors look like: text, the one JSON document, or JSON lines beside those of events. */
  readonly errorForm: ErrorForm;
  /** Columns to fill. */
  readonly width: number;
  /** Columns that no line may exceed; Infinity where no terminal would break it. */
  readonly maxColumns: number;
}

const DEFAULT_COLUMNS = 120;

/** Reads the global options; knows nothing of commands and costs nothing to load. */
export function readSettings(
  globals: { readonly [name: string]: unknown },
  io: Io,
  errorForm: ErrorForm = "text",
): Settings {
  const { cwd, color, quiet, verbose, yes, input } = globals;
  const paintOf = (output: Output) => createPaint(isColored(color, output, io));
  return {
    cwd: typeof cwd === "string" ? resolve(io.cwd, cwd) : io.cwd,
    isQuiet: quiet === true,
    isVerbose: verbose === true,
    saysYes: yes === true,
    mayAsk: input !== false && io.stdin.isTerminal && io.stdout.isTerminal,
    paint: paintOf(io.stdout),
    paintError: paintOf(io.stderr),
    glyphs: hasUnicode(io) ? UNICODE_GLYPHS : ASCII_GLYPHS,
    errorForm,
    width: io.stdout.columns ?? DEFAULT_COLUMNS,
    maxColumns: io.stdout.isTerminal ? (io.stdout.columns ?? Infinity) : Infinity,
  };
}

/** The option beats FORCE_COLOR, which beats NO_COLOR, which beats what the output is. */
function isColored(option: unknown, output: Output, { env }: Io): boolean {
  if (option === "always") return true;
  if (option === "never") return false;
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal } = env;
  if (forced !== undefined) return !["0", "false"].includes(forced);
  if (none !== undefined && none !== "") return false;
  return output.isTerminal && terminal !== "dumb";
}

// Pipes and files take Unicode; a terminal whose locale is C shows something else.
function hasUnicode({ stdout, env }: Io): boolean {
  if (!stdout.isTerminal) return true;
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find(Boolean) ?? "";
  return env["TERM"] !== "linux" && env["TERM"] !== "dumb" && !/^(C|POSIX)$/.test(locale);
}
