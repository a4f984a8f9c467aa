import { expect, test } from "vitest";
import { createClaudeMeter } from "../../../../src/agents/backends/claude/claude-usage.ts";

const result = (totalUsd: number) => ({
  type: "result" as const,
  total_cost_usd: totalUsd,
  usage: { input_tokens: 2, cache_read_input_tokens: 10, output_tokens: 3 },
});
const tokens = { inputTokens: 12, cachedTokens: 10, outputTokens: 3 };

test("without the use since the last result, the cost is what the total grew by [AGT-15]", () => {
  const meter = createClaudeMeter({ isResumed: false });
  expect(meter.take(result(0.25))).toEqual({ ...tokens, costUsd: 0.25 });
  expect(meter.take(result(0.75))).toEqual({ ...tokens, costUsd: 0.5 });
  expect(meter.take(result(0.5))).toEqual({ ...tokens, costUsd: 0 });
});

test("what a resumed session had cost before is not counted again [AGT-15]", () => {
  const meter = createClaudeMeter({ isResumed: true });
  expect(meter.take(result(5.25))).toEqual(tokens);
  expect(meter.take(result(5.5))).toEqual({ ...tokens, costUsd: 0.25 });
});

test("the models of one answer are counted together, without the costs that are not known [AGT-15]", () => {
  const meter = createClaudeMeter({ isResumed: true });
  const used = { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3, costUSD: 0.5 };
  const perModel = {
    large: { ...used, cacheCreationInputTokens: 4, costBasis: "list" },
    small: { ...used, costBasis: "unknown" },
  };
  expect(meter.take({ ...result(9), model_usage_since_last_result: perModel })).toEqual({
    inputTokens: 12,
    cachedTokens: 6,
    outputTokens: 4,
    costUsd: 0.5,
  });
});
