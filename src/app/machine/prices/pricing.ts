import {
  type ModelPrice,
  type PriceTable,
  type Pricing,
  priceOf,
} from "../../../contracts/price.ts";
import type { ConfigSettings } from "../config/config-settings.ts";

/**
 * What the models of agents cost: by the given prices, else those of the configuration, and by list prices for
 * models that these leave out. An agent without a model has that of its backend.
 */
export function createPricing(
  { prices, backends }: Pick<ConfigSettings, "prices" | "backends">,
  given: PriceTable = prices ?? {},
): Pricing {
  return ({ backend, model = backends?.[backend]?.model }) =>
    priceOf(given, model) ?? priceOf(listPrices, model);
}

/** USD per million tokens: input, output, input from the provider's cache. */
type Row = readonly [model: string, input: number, output: number, cached: number];

/**
 * List prices of models as their vendors published them, for estimates where a backend tells tokens only: the
 * base rate for short prompts, without discounts for batches and surcharges for long contexts and cache writes.
 * A model that is not here has no known price.
 */
export const listPrices: PriceTable = {
  ...dated("2025-11-30", [
    ["anthropic/claude-opus-4-5", 5, 25, 0.5],
    ["anthropic/claude-opus-4-1", 15, 75, 1.5],
    ["anthropic/claude-opus-4", 15, 75, 1.5],
    ["anthropic/claude-sonnet-4-5", 3, 15, 0.3],
    ["anthropic/claude-sonnet-4", 3, 15, 0.3],
    ["anthropic/claude-3-7-sonnet", 3, 15, 0.3],
    ["anthropic/claude-haiku-4-5", 1, 5, 0.1],
    ["anthropic/claude-3-5-haiku", 0.8, 4, 0.08],
    ["openai/gpt-5.1", 1.25, 10, 0.125],
    ["openai/gpt-5.1-codex", 1.25, 10, 0.125],
    ["openai/gpt-5", 1.25, 10, 0.125],
    ["openai/gpt-5-codex", 1.25, 10, 0.125],
    ["openai/gpt-5-mini", 0.25, 2, 0.025],
    ["openai/gpt-5-nano", 0.05, 0.4, 0.005],
    ["openai/gpt-4.1", 2, 8, 0.5],
    ["openai/gpt-4.1-mini", 0.4, 1.6, 0.1],
    ["openai/gpt-4.1-nano", 0.1, 0.4, 0.025],
    ["openai/gpt-4o", 2.5, 10, 1.25],
    // The first snapshot kept the price of its day, and had no cheaper cache.
    ["openai/gpt-4o-2024-05-13", 5, 15, 5],
    ["openai/gpt-4o-mini", 0.15, 0.6, 0.075],
    ["openai/o3", 2, 8, 0.5],
    ["openai/o4-mini", 1.1, 4.4, 0.275],
    ["google/gemini-3-pro-preview", 2, 12, 0.2],
    ["google/gemini-2.5-pro", 1.25, 10, 0.125],
    ["google/gemini-2.5-flash", 0.3, 2.5, 0.03],
    ["google/gemini-2.5-flash-lite", 0.1, 0.4, 0.01],
  ]),
  ...dated("2026-05-13", [
    ["openai/gpt-5.5", 5, 30, 0.5],
    ["openai/gpt-5.4", 2.5, 15, 0.25],
    ["openai/gpt-5.2", 1.75, 14, 0.175],
  ]),
};

function dated(asOf: string, rows: readonly Row[]): PriceTable {
  const prices = rows.map(([model, inputPerMTok, outputPerMTok, cachedPerMTok]) => {
    const price: ModelPrice = { inputPerMTok, outputPerMTok, cachedPerMTok, asOf };
    return [model, price] as const;
  });
  return Object.fromEntries(prices);
}
