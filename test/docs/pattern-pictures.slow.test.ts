import { readFileSync } from "node:fs";
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
  "the page of %s shows the picture that graph draws of its example [ECO-6.pictures]",
  async (pattern) => {
    const file = join(checkout, "examples", pattern, `${pattern}.yaml`);
    const { exitCode, out } = await call(createProject(), ["graph", file, "--format", "svg"]);
    expect(exitCode).toBe(0);
    const page = join(checkout, "docs/guides/patterns", pattern);
    await expect(out).toMatchFileSnapshot(`${page}.svg`);
    expect(readFileSync(`${page}.md`, "utf8")).toContain(`](${pattern}.svg)`);
  },
);
