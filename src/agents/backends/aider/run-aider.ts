import type { SessionRequest } from "../../../contracts/backend.ts";
import type { ProcessHost } from "../../../host/host.ts";
import type { ProcessEnd } from "../../../host/managed-process.ts";
import { type LineProcess, startLineProcess } from "../parts/line-process.ts";
import type { TurnWork } from "../parts/turn-gate.ts";
import type { AiderReader } from "./aider-reader.ts";

/** The process of one turn. */
export interface AiderProcessOptions {
  readonly host: ProcessHost;
  readonly session: Pick<SessionRequest, "cwd" | "logFile" | "confine" | "limits">;
  readonly argv: readonly [string, ...string[]];
  /** The whole environment. */
  readonly env: { readonly [name: string]: string };
  readonly reader: AiderReader;
  readonly work: TurnWork;
}

/** How that process ended; nothing of its family lives. */
export interface AiderExit {
  readonly exit: ProcessEnd;
  /** The end of what it wrote to stderr. */
  readonly stderr: string;
  readonly isCancelled: boolean;
}

// It would try again for more than a minute.
const MAX_RETRIES = 2;

/** Runs aider for one turn and hands out what its reader makes of it. Raises HOST_* errors. */
export async function runAider(options: AiderProcessOptions): Promise<AiderExit> {
  const { reader, work, ...started } = options;
  const { signal, emit } = work;
  let retries = 0;
  let aider: LineProcess | undefined;
  // Whoever waits for `ended` sees its error.
  const end = () => void aider?.end().catch(() => {});
  const onLine = (line: string) => {
    for (const update of reader.take(line)) {
      emit(update);
      if (update.type === "retrying") retries += 1;
    }
    if (retries > MAX_RETRIES) end();
  };
  signal.throwIfAborted();
  // The answer is read from the file of the conversation, so no line is needed.
  aider = await startLineProcess({ ...started, onLine, onLeftOut: () => true });
  aider.closeStdin();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    const exit = await aider.ended;
    return { exit, stderr: aider.stderr, isCancelled: signal.aborted };
  } finally {
    signal.removeEventListener("abort", end);
  }
}
