import { defineConfig } from "vitest/config";

/** The command line as people use it, in real processes. */
export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts"],
    passWithNoTests: false,
    testTimeout: 120_000,
  },
});
