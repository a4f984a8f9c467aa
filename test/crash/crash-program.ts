import { join } from "node:path";

/** Path of a program of the suite, by the name of its file without the ending. Called in the suite alone. */
export function crashProgram(
  name: "fixture-run" | "mirror-run" | "worktree-program" | "merge-program",
): string {
  const programs = process.env["CRASH_PROGRAMS"];
  if (programs === undefined) throw new Error("run this suite with vitest.crash.config.ts");
  return join(programs, `${name}.mjs`);
}
