import { mkdtempSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { openSqlite } from "../../foundation/sqlite.ts";
import { MAX_SOCKET_PATH_BYTES } from "../../host/private-socket.ts";
import { reasonOf } from "../../host/system/system-error.ts";
import type { Machine } from "../machine/machine.ts";
import { controlSocketPath, type Project } from "../machine/place/project.ts";
import type { Check, Finding } from "./finding.ts";

/** Less free space than this is soon used up by a run with long logs. */
const LITTLE_SPACE_BYTES = 200_000_000;

/** The Node that runs troupe, and the system under it. */
export const checkNode: Check = {
  subject: "node",
  look: async () => [
    {
      subject: "node",
      status: "ok",
      text: `${process.version.slice(1)} on ${process.platform} ${process.arch} (${process.execPath})`,
    },
  ],
};

/** Whether runs can be kept in the project: a database is made beside them, and removed. */
export function checkProject({ project }: Pick<Machine, "project">): Check {
  const subject = "project";
  return {
    subject,
    look: async () => {
      try {
        const mode = tryDatabase(project);
        return [journalFinding(project, mode), ...spaceFindings(project)];
      } catch (error) {
        const text = `${project.root}: runs cannot be kept here: ${problemOf(error)}`;
        const hint = "work in a directory that you may write to (-C), or set TROUPE_DIR";
        return [{ subject, status: "problem", stops: "runs", text, hint }];
      }
    },
  };
}

/** Whether commands can reach a run: the directory of sockets is private, and the path is short enough. */
export function checkSockets({ project, env }: Pick<Machine, "project" | "env">): Check {
  const subject = "sockets";
  return {
    subject,
    look: async () => {
      const path = controlSocketPath(project, "run_000000", env);
      const directory = dirname(path);
      const problem = socketProblem(path, directory);
      if (problem === undefined) return [{ subject, status: "ok", text: directory }];
      const hint = "set XDG_RUNTIME_DIR to a short path of yours that nobody else may enter";
      const text = `${directory}: ${problem}`;
      return [{ subject, status: "problem", stops: "runs", text, hint }];
    },
  };
}

function tryDatabase({ root, troupeDirectory }: Project): string {
  const parent = isDirectory(troupeDirectory) ? troupeDirectory : root;
  const directory = mkdtempSync(join(parent, ".troupe-doctor-"));
  try {
    const database = openSqlite(join(directory, "journal.db"));
    try {
      const mode = database.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
      database.exec("CREATE TABLE t (x); INSERT INTO t VALUES (1)");
      return String(mode);
    } finally {
      database.close();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function journalFinding({ root }: Project, mode: string): Finding {
  const subject = "project";
  if (mode === "wal") return { subject, status: "ok", text: `${root}: runs can be kept here` };
  const text = `${root}: its file system has no shared memory, so SQLite cannot keep a log (mode ${mode})`;
  const hint = "set TROUPE_DIR to a directory on a local disk";
  return { subject, status: "problem", stops: "runs", text, hint };
}

function spaceFindings({ root }: Project): readonly Finding[] {
  const { bavail, bsize } = statfsSync(root);
  const freeBytes = bavail * bsize;
  if (freeBytes >= LITTLE_SPACE_BYTES) return [];
  const text = `${root}: only ${Math.floor(freeBytes / 1_000_000)} MB are free`;
  return [{ subject: "project", status: "warning", text, hint: "make room before long runs" }];
}

function socketProblem(path: string, directory: string): string | undefined {
  const sizeBytes = Buffer.byteLength(path);
  if (sizeBytes > MAX_SOCKET_PATH_BYTES)
    return `paths of sockets there have ${sizeBytes} bytes, the most is ${MAX_SOCKET_PATH_BYTES}`;
  const stat = statSync(directory, { throwIfNoEntry: false });
  // It is made private when the first run needs it.
  if (stat === undefined) return undefined;
  if (!stat.isDirectory()) return "it is no directory";
  if (stat.uid !== process.getuid?.()) return "it belongs to another user";
  return (stat.mode & 0o077) === 0 ? undefined : "others may enter it";
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function problemOf(error: unknown): string {
  const reason = reasonOf(error);
  return reason.startsWith("ERR_") && error instanceof Error ? error.message : reason;
}
