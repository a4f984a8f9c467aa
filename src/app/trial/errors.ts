import { count } from "../../foundation/count.ts";
import { defineError, type Place } from "../../foundation/errors.ts";

/** Something wrong in a test file. */
export interface TestFileProblem {
  readonly message: string;
  readonly place: Place;
}

export const testFileInvalid = defineError("TEST_FILE_INVALID", {
  message: (details: { file: string; problems: readonly TestFileProblem[] }) =>
    [
      `${details.file} is not a test: ${count(details.problems.length, "problem")}`,
      ...details.problems.map(({ message, place: { line, column } }) =>
        line === undefined ? `  ${message}` : `  ${line}:${column ?? 1}  ${message}`,
      ),
    ].join("\n"),
  hint: () => "troupe schema test prints all that a test may say",
  about:
    "A test file says which workflow is played, what its agents do, and what is expected of the run. Each problem is listed with its line and column.",
});

export const testExpectation = defineError("TEST_EXPECTATION_FAILED", {
  message: (details: { differences: readonly { path: string; expected: string; got: string }[] }) =>
    details.differences
      .map(({ path, expected, got }) => `${path}: expected ${expected}, got ${got}`)
      .join("\n"),
  hint: () => "the events of the run tell what happened: run.events",
  about: "A run in a test was not what expectRun says of it.",
});

export const testEndless = defineError("TEST_RUN_ENDLESS", {
  message: (details: { run: string; within: string; waitsFor: string }) =>
    `${details.run} does not end within ${details.within} on the clock of the test: ${details.waitsFor}`,
  hint: () => "bound it with timeoutMs, or give the case more time: within: 30d",
  about:
    "A workflow was played on a clock that jumps to whatever is next, and after that time it was still going on. A turn that hangs, with nothing that bounds it, is the usual cause.",
});

export const testSetupFailed = defineError("TEST_SETUP_FAILED", {
  message: (details: { command: string; problem: string }) =>
    `setup command ${JSON.stringify(details.command)} failed: ${details.problem}`,
  hint: () =>
    "it is run by the shell in the empty directory of the case, after its files are written",
  about:
    "A command under `setup` of a test case exited with another code than 0, so the case was not played.",
});

export const testNothingSelected = defineError("TEST_NOTHING_SELECTED", {
  message: (details: { pattern: string; cases: number }) =>
    `none of ${count(details.cases, "case")} has "${details.pattern}" in its name`,
  hint: () => "leave out -t to play all cases",
  about:
    "`troupe test FILE -t TEXT` plays the cases whose names have that text in them, in any case.",
});
