import { defineConfig } from "vitest/config";

/** Durable code, killed after every journal entry. */
export default defineConfig({
  test: {
    include: ["test/crash/**/*.test.ts"],
    passWithNoTests: false,
    testTimeout: 120_000,
  },
});
