import { statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { enterPrivateEnvironment } from "./test/private-environment.ts";
import { skipReporter } from "./test/skip-reporter.ts";

enterPrivateEnvironment();

/** The quick suite: everything but what needs minutes. */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [
      "test/crash/**",
      "test/clients/**",
      "test/e2e/**",
      "test/security/**",
      "test/bench/**",
      "test/security/**",
      // Seconds each: properties, hostile texts and processes in numbers. They run with those of e2e.
      "test/**/*.slow.test.ts",
    ],
    setupFiles: ["test/property-seed.ts", "test/one-reaper.ts"],
    reporters: ["default", skipReporter],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Whoever waits for something to happen waits as long as its test may take: a machine may have other things to do.
    expect: { poll: { timeout: 20_000 } },
    env: quickTemporaryFiles(),
    // No module keeps state but that of the process itself, so files can share a worker; that halves what starting them costs.
    isolate: false,
    // While one file waits for processes of its own, another has its core.
    maxWorkers: availableParallelism() + 1,
  },
});

/** Real files, in memory where there is room: the slow suites are those that ask a disk. */
function quickTemporaryFiles(): { readonly TMPDIR?: string } {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize > 2_000_000_000 ? { TMPDIR: "/dev/shm" } : {};
  } catch {
    return {};
  }
}
