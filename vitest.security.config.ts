import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { failureReporter } from "./test/failure-reporter.ts";
import { enterPrivateEnvironment } from "./test/private-environment.ts";
import { skipReporter } from "./test/skip-reporter.ts";

enterPrivateEnvironment();

/** What attackers try, one file per threat, against the real command and real processes. */
export default defineConfig({
  test: {
    include: ["test/security/**/*.test.ts"],
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
    expect: { poll: { timeout: 20_000 } },
  },
});
