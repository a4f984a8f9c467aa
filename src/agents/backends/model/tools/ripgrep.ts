import { dirname } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { present } from "../../../../foundation/present.ts";
import { findProgram } from "../../../../host/system/find-program.ts";
import { ToolFailure } from "../files/tool-failure.ts";
import type { ToolPlace } from "./model-tool.ts";

const TIMEOUT_MS = 60_000;
const MAX_RECORD_CHARS = 64 * 1024;

/** One search by ripgrep. */
export interface RipgrepSearch {
  /** Absolute and real. */
  readonly directory: string;
  readonly args: readonly string[];
  /** What ends each record of its output. */
  readonly separator: "\n" | "\0";
  /** Takes a record; false when that was enough. */
  readonly take: (record: string) => boolean;
}

// Whatever the user's own settings say, the same is found for everybody; what git ignores is not.
const ALWAYS = ["--no-config", "--hidden", "--glob=!.git", "--no-require-git", "--color=never"];

/** Searches below a directory; resolves with what ripgrep complains of. Raises ToolFailure and the signal's reason. */
export async function runRipgrep(
  search: RipgrepSearch,
  { host, session, env }: ToolPlace,
  signal: AbortSignal,
): Promise<string> {
  const program = await findRipgrep(env, session.cwd);
  const enough = new AbortController();
  const records = createRecords(search, () => enough.abort());
  const { confine, limits } = session;
  const confined = confine && { ...confine, readOnly: [...confine.readOnly, dirname(program)] };
  try {
    const { exitCode, stderr, timedOut } = await host.run(
      {
        command: [program, ...ALWAYS, ...search.args],
        cwd: search.directory,
        env,
        stdin: "",
        timeoutMs: TIMEOUT_MS,
        maxOutputChars: 2000,
        onOutput: (stream, chunk) => {
          if (stream === "stdout") records.push(chunk);
        },
        ...present({ confine: confined, limits }),
      },
      AbortSignal.any([signal, enough.signal]),
    );
    records.end();
    if (timedOut) throw new ToolFailure("the search took too long; search less");
    // 1: nothing was found. 2: some files could not be read, or it did not understand.
    if (exitCode !== null && exitCode > 1 && records.count === 0)
      throw new ToolFailure(stderr.trim() || "the search failed");
    return stderr.trim();
  } catch (error) {
    if (enough.signal.aborted && !signal.aborted) return "";
    throw error;
  }
}

/** The ripgrep of troupe's own package, else one on PATH. */
async function findRipgrep(env: { readonly [name: string]: string }, cwd: string): Promise<string> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    return rgPath;
  } catch {
    const found = findProgram("rg", env, cwd);
    if (found !== undefined) return found;
    throw new ToolFailure("there is no ripgrep for this machine; use Bash with find and grep");
  }
}

function createRecords({ separator, take }: RipgrepSearch, stop: () => void) {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let count = 0;
  let isOver = false;
  const give = (record: string) => {
    if (isOver || record === "") return;
    count += 1;
    if (take(record)) return;
    isOver = true;
    stop();
  };
  return {
    get count() {
      return count;
    },
    push: (chunk: Uint8Array) => {
      if (isOver) return;
      const parts = `${rest}${decoder.write(chunk)}`.split(separator);
      rest = (parts.pop() ?? "").slice(0, MAX_RECORD_CHARS);
      for (const part of parts) give(part);
    },
    end: () => give(rest),
  };
}
