import { globSync, readFileSync } from "node:fs";
import { defineConfig, mergeConfig } from "vitest/config";
import { NEEDS_OF_ROOT } from "./test/machine.ts";
import e2e from "./vitest.e2e.config.ts";

const asksForRoot = new RegExp(`\\bhas\\("(?:${NEEDS_OF_ROOT.join("|")})"\\)`);

/** Tests that say why they need root, of the suites that CI runs as an ordinary user. Crash and clients run as root. */
const files = globSync("test/**/*.test.ts").filter(
  (file) => !/^test\/(crash|clients)\//.test(file) && asksForRoot.test(readFileSync(file, "utf8")),
);

export default mergeConfig(
  { ...e2e, test: { ...e2e.test, include: [] } },
  defineConfig({ test: { include: files } }),
);
