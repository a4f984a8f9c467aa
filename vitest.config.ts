import { defineConfig } from "vitest/config";

/** The quick suite: everything but what needs minutes. */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/crash/**", "test/clients/**", "test/e2e/**", "test/bench/**"],
    testTimeout: 20_000,
    // What the person who runs the tests has configured must not change them.
    env: { XDG_CONFIG_HOME: "/nowhere" },
    // No module keeps state, so files can share a worker; that halves what starting them costs.
    isolate: false,
    // Many wait for processes of their own; the core that vitest leaves free by itself would idle.
    maxWorkers: "100%",
  },
});
