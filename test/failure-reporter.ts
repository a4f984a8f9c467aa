import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter } from "vitest/node";

/** A test that failed, or a whole file that could not be run. */
export interface TestFailure {
  /** Path from the root of the checkout. */
  readonly file: string;
  /** Full name; undefined for a file that failed outside of its tests. */
  readonly name: string | undefined;
  /** First line of the first error. */
  readonly error: string;
}

/** How a suite ended, for the program that started it. */
export interface SuiteReport {
  readonly failures: readonly TestFailure[];
  readonly passed: number;
  readonly skipped: number;
  /** Errors that belong to no test. */
  readonly unhandled: number;
}

/** Writes a `SuiteReport` into the file that TROUPE_SUITE_REPORT names; does nothing without it. */
export const failureReporter: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    const path = process.env["TROUPE_SUITE_REPORT"];
    if (path === undefined) return;
    const failures = modules.flatMap((module): readonly TestFailure[] => {
      const file = relative(process.cwd(), module.moduleId);
      const failed = [...module.children.allTests("failed")].map((test) => ({
        file,
        name: test.fullName,
        error: firstLine(test.result().errors?.[0]?.message),
      }));
      const [broken] = module.errors();
      if (broken !== undefined)
        return [...failed, { file, name: undefined, error: firstLine(broken.message) }];
      return failed;
    });
    const count = (state: "passed" | "skipped") =>
      modules.reduce((sum, module) => sum + [...module.children.allTests(state)].length, 0);
    const report: SuiteReport = {
      failures,
      passed: count("passed"),
      skipped: count("skipped"),
      unhandled: unhandledErrors.length,
    };
    writeFileSync(path, JSON.stringify(report));
  },
};

function firstLine(text: string | undefined): string {
  return text?.split("\n", 1)[0]?.slice(0, 300) ?? "no error was given";
}
