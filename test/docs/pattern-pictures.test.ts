import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "../cli/fake-io.ts";

const checkout = join(import.meta.dirname, "../..");
const patterns = [
  "auction",
  "cascade",
  "collab",
  "consensus",
  "debate",
  "gossip",
  "handoff",
  "hierarchical",
  "hub-spoke",
  "iterate",
  "mesh",
  "team",
] as const;

test.each(patterns)(
  "the page of %s shows the picture that graph draws of its example",
  async (pattern) => {
    const file = join(checkout, "examples", pattern, `${pattern}.yaml`);
    const { exitCode, out } = await call(createProject(), ["graph", file, "--format", "svg"]);
    expect(exitCode).toBe(0);
    await expect(out).toMatchFileSnapshot(join(checkout, "docs/guides/patterns", `${pattern}.svg`));
  },
);
