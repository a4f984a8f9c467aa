import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { getCompileCacheDir } from "node:module";
import { Socket } from "node:net";
import { dirname, extname, join } from "node:path";
import type { ProcessFamily } from "./process-family.ts";
import { type ReaperOrder, toReaperLine } from "./reaper-protocol.ts";
import { tryDescriptors } from "./sandbox/program-places.ts";

/**
 * The owner's side of the reaper: a small process that ends the watched families and everything with
 * the owner's mark within 5 s of the owner's death, however it died.
 */
export interface Reaper {
  /** Starts the reaper process, or a new one if the last has died. Raises EMFILE when too many files are open for that. */
  start(): void;
  watch(family: ProcessFamily): void;
  forget(family: ProcessFamily): void;
  /** Sends the reaper process away and waits until it has gone. Nothing may be watched any more. */
  close(): Promise<void>;
}

/** A reaper for the owner that `ownerMark` names, not yet started. `carriedMark` is the owner's own TROUPE_MARK. */
export function createReaper(ownerMark: string, carriedMark: string | undefined): Reaper {
  const families = new Set<ProcessFamily>();
  let child: ChildProcess | undefined;
  const tell = (order: ReaperOrder) => void child?.stdin?.write(toReaperLine(order));
  return {
    start: () => {
      if (child !== undefined) return;
      const started = startReaper(ownerMark, carriedMark);
      child = started;
      const lose = () => {
        if (child === started) child = undefined;
      };
      // Without a reaper work goes on: the next program starts another, the next troupe sweeps.
      started.once("error", lose);
      started.once("exit", lose);
      started.stdin?.on("error", lose);
      for (const family of families) tell({ kind: "watch", family });
    },
    watch: (family) => {
      families.add(family);
      tell({ kind: "watch", family });
    },
    forget: (family) => {
      families.delete(family);
      tell({ kind: "forget", mark: family.mark });
    },
    close: async () => {
      const closing = child;
      if (closing === undefined) return;
      // Whoever starts a program from now on needs another one.
      child = undefined;
      closing.ref();
      const gone = once(closing, "exit");
      closing.stdin?.end(toReaperLine({ kind: "quit" }));
      await gone;
    },
  };
}

function startReaper(ownerMark: string, carriedMark: string | undefined): ChildProcess {
  // Beside this file: a source, a built module or a part of the bundled command.
  const script = join(import.meta.dirname, `reaper-main${extname(import.meta.filename)}`);
  // Both ends of its pipe, those of the one that tells whether it started, and one that its empty stdout takes.
  tryDescriptors(5);
  const child = spawn(process.execPath, [script, ownerMark], {
    cwd: "/",
    // Its own session: Ctrl-C in the owner's terminal must not reach it.
    detached: true,
    // No TROUPE_OWNER: whoever sweeps leftovers must not take the reaper for one.
    env: {
      ...compileCacheEnv(),
      ...(carriedMark === undefined ? {} : { TROUPE_MARK: carriedMark }),
    },
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Neither the process nor the pipe may keep an owner alive that has nothing left to do.
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}

/** The owner's cache of compiled code: the reaper should stand before the first agent does. */
function compileCacheEnv(): { readonly NODE_COMPILE_CACHE?: string } {
  const directory = getCompileCacheDir();
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}
