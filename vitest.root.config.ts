import { defineConfig } from "vitest/config";
import slow from "./vitest.e2e.config.ts";

/** The tests that need root, of every suite; `.ci/run` names their files. */
export default defineConfig({
  ...slow,
  test: { ...slow.test, include: ["test/**/*.test.ts"] },
});
