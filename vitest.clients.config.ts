import { defineConfig } from "vitest/config";
import { failureReporter } from "./test/failure-reporter.ts";
import { enterPrivateEnvironment } from "./test/private-environment.ts";
import { skipReporter } from "./test/skip-reporter.ts";

enterPrivateEnvironment();

/** Real agent command lines from npm, talking to a scripted model on loopback. */
export default defineConfig({
  test: {
    include: ["test/clients/**/*.test.ts"],
    globalSetup: ["test/clients/install-clients.ts"],
    passWithNoTests: false,
    reporters: ["default", skipReporter, failureReporter],
    // It ends what hangs and judges nothing: on a machine with other work everything takes many times as long.
    testTimeout: 600_000,
    // What is started before tests, a browser or a program, takes its time as they do.
    hookTimeout: 600_000,
    // Files wait for the programs most of the time; the core that vitest leaves free by itself would idle.
    maxWorkers: "100%",
    // Titles of cases in full: a skipped one is reported by it.
    taskTitleValueFormatTruncate: 0,
  },
});
