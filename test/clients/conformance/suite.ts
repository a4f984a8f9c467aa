import { describe, expect, test } from "vitest";
import type { AgentFixture } from "./agent-fixture.ts";
import { createBench } from "./bench.ts";
import { conformanceCases } from "./cases/registry.ts";

/** Declares the tests that every real client has to pass. */
export function testConformance(fixture: AgentFixture): void {
  const { patience } = fixture;
  const options = patience === undefined ? {} : { timeout: patience.caseMs };
  describe(`a real ${fixture.client} agent`, options, () => {
    test.for(conformanceCases)("$name", async ({ key, run }, context) => {
      const reason = fixture.cannot[key];
      if (reason !== undefined) context.skip(`${fixture.client}: ${reason}`);
      const bench = await createBench(fixture, context);
      try {
        await run(bench);
      } finally {
        const left = await bench.end();
        expect(
          left.map(({ pid }) => pid),
          "processes that outlived their session",
        ).toEqual([]);
      }
    });
  });
}
