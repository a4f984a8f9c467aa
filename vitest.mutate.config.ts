import { defineConfig } from "vitest/config";
import quick from "./vitest.config.ts";

/** The tests that judge changed code, slow ones too: see scripts/mutate.ts. */
export default defineConfig({
  ...quick,
  test: {
    ...quick.test,
    include: process.env["TROUPE_MUTATED_BY"]?.split(":") ?? [],
    exclude: [],
    testTimeout: 120_000,
    reporters: ["default"],
  },
});
