import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { failureReporter } from "./test/failure-reporter.ts";
import { enterPrivateEnvironment } from "./test/private-environment.ts";
import { skipReporter } from "./test/skip-reporter.ts";

enterPrivateEnvironment();

/** The command line as people use it, in real processes, and what takes seconds anywhere else. */
export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts", "test/**/*.slow.test.ts"],
    setupFiles: ["test/property-seed.ts"],
    passWithNoTests: false,
    reporters: ["default", skipReporter, failureReporter],
    // It ends what hangs and judges nothing: on a machine with other work everything takes many times as long.
    testTimeout: 600_000,
    // What is started before tests, a browser or a program, takes its time as they do.
    hookTimeout: 600_000,
    // While one file waits for processes of its own, another has its core.
    maxWorkers: availableParallelism() + 1,
    // What is waited for is the work of processes that share the machine with other tests.
    expect: { poll: { timeout: 120_000 } },
  },
});
