import { defineConfig } from "vitest/config";
import { failureReporter } from "./test/failure-reporter.ts";
import { enterPrivateEnvironment } from "./test/private-environment.ts";
import { skipReporter } from "./test/skip-reporter.ts";

enterPrivateEnvironment();

/** Durable code, killed at every point where it changes a journal. Takes minutes; prints what it covers. */
export default defineConfig({
  test: {
    include: ["test/crash/**/*.test.ts"],
    globalSetup: ["test/crash/bundle-programs.ts"],
    setupFiles: ["test/property-seed.ts"],
    passWithNoTests: false,
    // Two files at once, two runs at once in each: the processes spend half of their time waiting.
    maxWorkers: 2,
    reporters: ["default", skipReporter, failureReporter],
    testTimeout: 900_000,
    // What is started before tests, a browser or a program, takes its time as they do.
    hookTimeout: 900_000,
  },
});
