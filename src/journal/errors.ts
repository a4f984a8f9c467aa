import { defineError } from "../foundation/errors.ts";
import { didYouMean } from "../foundation/near-names.ts";
import { type ShownProcess, showPid } from "../foundation/show-pid.ts";

/** Which journal an error speaks of. */
export interface JournalPlace {
  readonly run: string;
  /** Path of the journal from the directory that holds the runs' directory: `runs/<run>/journal.db`. */
  readonly place: string;
}

/** What a damaged journal still holds. */
export interface Damage extends JournalPlace {
  readonly problem: string;
  /** The first event that is missing or cannot be trusted. */
  readonly firstBadSeq: number;
  /** Events 1 to this one are as they were written; 0 when none is. */
  readonly intactUpTo: number;
}

type Failure = JournalPlace & { readonly problem: string };

export const storeCorrupt = defineError("STORE_CORRUPT", {
  message: (details: Damage) =>
    `the journal of run "${details.run}" (${details.place}) is damaged: ${details.problem}`,
  hint: (details) =>
    details.intactUpTo === 0
      ? "restore the directory of the run from a copy"
      : `restore the directory of the run from a copy, or keep events 1 to ${details.intactUpTo}: troupe export ${details.run} --salvage`,
  about:
    "Every event carries a hash of all events before it, and a seal beside the journal says how far it reached. A changed, moved, missing or unreadable event stops the run instead of being misread. Other runs are not concerned. Events before the first bad one are intact; `troupe export RUN --salvage` writes them to a file.",
});

export const storeUnreadable = defineError("STORE_UNREADABLE", {
  message: (details: Failure) =>
    `cannot read the journal of run "${details.run}" (${details.place}): ${details.problem}`,
  hint: () =>
    "check that you may read the directory of the run, or copy it to a place where you may",
  about:
    "The files of the run exist but the system refuses to hand them out: missing rights, a failing disk, something else under that name.",
});

export const storeUnwritable = defineError("STORE_UNWRITABLE", {
  message: (details: Failure) =>
    `cannot write the journal of run "${details.run}" (${details.place}): ${details.problem}`,
  hint: ({ problem }) =>
    problem.includes("EROFS")
      ? "mount that file system so that it can be written, then resume the run"
      : "make the directory of the run writable for you, then resume the run",
  about:
    "A run whose journal cannot be written stops at once, because nothing may happen that is not recorded. What was acknowledged before is safe; the run goes on with resume.",
});

export const storeFull = defineError("STORE_FULL", {
  message: (details: JournalPlace) =>
    `no space left to write the journal of run "${details.run}" (${details.place})`,
  hint: () => "free space on that disk, then resume the run; no repair is needed",
  about:
    "The disk or quota that holds the runs is full. The last transaction was not acknowledged and is not in the journal; everything before it is.",
});

export const storeBusy = defineError("STORE_BUSY", {
  message: (details: JournalPlace) =>
    `another process keeps the journal of run "${details.run}" (${details.place}) locked`,
  hint: () => "try again; if it stays so, look for a stopped troupe process of this run",
  about:
    "Writers of a journal take turns, usually for less than a millisecond. A lock that stays for seconds belongs to a process that is stopped or hangs inside a transaction.",
  retryable: true,
});

export const storeFormatUnknown = defineError("STORE_FORMAT_UNKNOWN", {
  message: (details: JournalPlace & { what: string; found: number; known: number }) =>
    `run "${details.run}" (${details.place}) has ${details.what} format ${details.found}; this troupe knows ${details.known}`,
  hint: () => "use the version of troupe that wrote the run, or a newer one",
  about:
    "Stored formats carry a version. A run written by a newer troupe is refused, never guessed at.",
});

export const storeRunExists = defineError("STORE_RUN_EXISTS", {
  message: (details: { run: string }) => `run "${details.run}" exists already`,
  hint: (details) => `resume it: troupe resume ${details.run}`,
  about: "A run is created once. Going on with one is resume, copying one is fork or rerun.",
});

export const runNotFound = defineError("RUN_NOT_FOUND", {
  message: (details: { run: string; known: readonly string[] }) => `no run "${details.run}"`,
  hint: (details) => didYouMean(details.run, details.known, "runs") ?? "there are no runs yet",
  about: "No run of that id lies in this project. Ids may be shortened as long as they are unique.",
});

export const journalOwned = defineError("RUN_OWNED", {
  message: (details: { run: string; command: string } & ShownProcess) =>
    `run "${details.run}" is owned by process ${showPid(details)} (${details.command})`,
  hint: (details) =>
    `cancel it first: troupe cancel ${details.run}; or, where the daemon has it, let go of it: troupe daemon stop`,
  about:
    "A run that a living process carries out is neither removed nor taken over. `troupe daemon stop` lets go of the runs of a daemon, also of one of another version, with their state saved.",
});

export const exportDamaged = defineError("FILE_EXPORT_DAMAGED", {
  message: (details: { file: string; problem: string }) =>
    `${details.file} is no intact export of a run: ${details.problem}`,
  hint: () => "copy the file again, or export the run again: troupe export RUN",
  about:
    "An export carries the hash of everything in it. One that is cut off, altered, put together anew or no export at all is refused as a whole; nothing of it is kept.",
});

export const exportVersionUnknown = defineError("FILE_EXPORT_VERSION_UNKNOWN", {
  message: (details: { file: string; what: string; found: number; known: number }) =>
    `${details.file} has ${details.what} format ${details.found}; this troupe knows ${details.known}`,
  hint: () => "use the version of troupe that wrote the file, or a newer one",
  about:
    "Exports carry versions. One that was written by a newer troupe is refused, never guessed at.",
});

export const exportTooLarge = defineError("FILE_EXPORT_TOO_LARGE", {
  message: (details: { file: string; what: string; limitBytes: number }) =>
    `${details.file}: ${details.what} has more than the ${details.limitBytes} bytes that are read`,
  hint: () => "copy the directory of the run below .troupe/runs instead",
  about:
    "What an import reads is bounded, because a small compressed file can hold any amount of data. No run of usual size comes near the bound.",
});

export const leaseLost = defineError("ENGINE_LEASE_LOST", {
  message: (details: { run: string; epoch: number; currentEpoch: number }) =>
    `run "${details.run}" was taken over: this process held epoch ${details.epoch}, the journal is at ${details.currentEpoch}`,
  hint: () => "nothing to repair: the new owner goes on; this process stops",
  about:
    "One process owns a run at a time. An owner that was stopped for longer than its lease, or that let go, cannot write any more.",
});

export const runForeign = defineError("RUN_FOREIGN", {
  message: (details: { readonly run: string; readonly reason: string }) =>
    `run "${details.run}" was not made by you here: ${details.reason}`,
  hint: (details) =>
    `look at it with troupe show ${details.run}; if you would run it, troupe import ${details.run} makes it yours`,
  about:
    "A run holds commands, and going on with it executes them. So Troupe seals the first event of every run with a key of your own (in its state directory), and goes on only with runs that carry your seal, belong to you and are closed to others. A run that came with a clone, a copy or an export, or that was made before there were seals, can be looked at: `show`, `logs`, `report`, `export`, `diff`. `troupe import RUN` tells what it would run, and makes it yours when you agree.",
});

/** STORE_CORRUPT: events are intact as far as `intactUpTo`. */
export function corruptAfter(place: JournalPlace, problem: string, intactUpTo: number): Error {
  return storeCorrupt({ ...place, problem, firstBadSeq: intactUpTo + 1, intactUpTo });
}
