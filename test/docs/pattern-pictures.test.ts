import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "../cli/fake-io.ts";

const checkout = join(import.meta.dirname, "../..");
const patterns = [
  "auction",
  "blackboard",
  "cascade",
  "circuit-breaker",
  "collab",
  "competitive",
  "consensus",
  "debate",
  "escalation",
  "gossip",
  "handoff",
  "hierarchical",
  "hub-spoke",
  "iterate",
  "map-reduce",
  "mesh",
  "mixture-of-agents",
  "pool",
  "red-team",
  "reflection",
  "review-loop",
  "saga",
  "scatter-gather",
  "supervisor",
  "team",
  "verifier",
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
