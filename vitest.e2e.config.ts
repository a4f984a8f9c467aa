import { defineConfig } from "vitest/config";

/** The command line as people use it, in real processes, and what takes seconds anywhere else. */
export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts", "test/**/*.slow.test.ts"],
    passWithNoTests: false,
    testTimeout: 120_000,
    // What is waited for is the work of processes that share the machine with other tests.
    expect: { poll: { timeout: 20_000 } },
  },
});
