import { expect, test } from "vitest";
import { createPricing, listPrices } from "../../../../src/app/machine/prices/pricing.ts";
import type { PriceTable } from "../../../../src/contracts/price.ts";
import { withPrice } from "../../../../src/contracts/price.ts";

const OWN: PriceTable = {
  "openai/gpt-5": { inputPerMTok: 7, outputPerMTok: 7 },
  "azure/gpt-5-mini": { inputPerMTok: 8, outputPerMTok: 8 },
};

test.each<[model: string | undefined, inputPerMTok: number | undefined, why: string]>([
  ["gpt-5", 7, "the configuration wins"],
  ["openai/gpt-5", 7, "the configuration wins"],
  ["gpt-5-2025-08-07", 7, "a snapshot costs what its model costs"],
  ["openai/gpt-5-mini", 0.25, "a list price fills a gap"],
  ["gpt-5-mini", 8, "the configuration wins by the bare name too"],
  ["claude-sonnet-4-5-20250929", 3, "a snapshot has the list price of its model"],
  ["gpt-4o-2024-05-13", 5, "a snapshot with a price of its own keeps it"],
  ["gpt-4o-2024-08-06", 2.5, "another snapshot has that of the model"],
  ["local/gpt-5-nano", undefined, "another vendor's model of the same name may cost anything"],
  ["gpt-99", undefined, "an unknown model has no price"],
  ["__proto__", undefined, "a name of the language is no model"],
  [undefined, 0.3, "an agent without a model has that of its backend"],
])("%s costs %s per million tokens: %s is so [AGT-15]", (model, expected) => {
  const backends = { gemini: { model: "gemini-2.5-flash" } };
  const pricing = createPricing({ prices: OWN, backends });
  const agent = { backend: "gemini", ...(model === undefined ? {} : { model }) };
  expect(pricing(agent)?.inputPerMTok).toBe(expected);
});

test("an agent whose model nobody names has no price [AGT-15]", () => {
  expect(createPricing({})({ backend: "codex" })).toBeUndefined();
});

test("every list price is dated, above zero and dearer for output than for input [AGT-15]", () => {
  for (const [model, price] of Object.entries(listPrices)) {
    const { inputPerMTok, outputPerMTok, cachedPerMTok = 0, asOf } = price;
    expect(model).toMatch(/^(?:anthropic|openai|google)\/[\w.-]+$/);
    expect(asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect([
      0 < cachedPerMTok,
      cachedPerMTok <= inputPerMTok,
      inputPerMTok < outputPerMTok,
    ]).toEqual([true, true, true]);
  }
});

test("what a price table tells is an estimate, and what the backend told is not [AGT-15]", () => {
  const price = { inputPerMTok: 1, outputPerMTok: 2 };
  expect(withPrice({ inputTokens: 1_000_000 }, price)).toEqual({
    ...{ inputTokens: 1_000_000, costUsd: 1, estimatedUsd: 1 },
  });
  expect(withPrice({ inputTokens: 1, costUsd: 3 }, price)).toEqual({ inputTokens: 1, costUsd: 3 });
});
