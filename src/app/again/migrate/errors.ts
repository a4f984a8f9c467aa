import { defineError } from "../../../foundation/errors.ts";

export const migrationMismatch = defineError("ENGINE_MIGRATION_MISMATCH", {
  message: (details: { run: string; file: string; seq: number; recorded: string; asked: string }) =>
    `${details.file} does not fit what ${details.run} has done: event ${details.seq} is ${details.recorded}, and with the file as it is now it would be ${details.asked}`,
  hint: ({ run, seq }) =>
    `keep what comes before it: troupe fork ${run} --at ${Math.max(1, seq - 1)} --no-start, then resume that --with-current-file`,
  about:
    "A run can go on with a changed workflow file only if that asks for everything that is recorded, in the same order: steps that have begun must be as they were. What a file says of steps that have not begun may change. Nothing was written; without --with-current-file the run goes on with the definition that it has.",
});

export const runWithoutFile = defineError("RUN_WITHOUT_FILE", {
  message: (details: { run: string }) =>
    `${details.run} was not started from a file, so there is no current one`,
  hint: ({ run }) => `go on with what it has: troupe resume ${run}`,
  about:
    "A run that was started from a template, from standard input, from code or with --agent has no workflow file that could have changed.",
});
