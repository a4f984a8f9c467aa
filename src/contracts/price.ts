import type { Usage } from "./usage.ts";

/** What a model costs, in USD per million tokens. */
export interface ModelPrice {
  readonly inputPerMTok: number;
  readonly outputPerMTok: number;
  /** Input from the provider's cache. Defaults to `inputPerMTok`. */
  readonly cachedPerMTok?: number;
  /** Date of the price, for people. */
  readonly asOf?: string;
}

/** Prices by model: `vendor/model`, or the model alone. */
export type PriceTable = { readonly [model: string]: ModelPrice };

const PER_MILLION = 1_000_000;

/** The price of a model, written with or without its vendor on either side; undefined when it is not known. */
export function priceOf(prices: PriceTable, model: string | undefined): ModelPrice | undefined {
  if (model === undefined) return undefined;
  if (Object.hasOwn(prices, model)) return prices[model];
  const name = nameOf(model);
  const found = Object.keys(prices).filter((known) => nameOf(known) === name);
  // Two vendors with a model of one name: nothing says which of them is meant.
  const [only] = found;
  const isSure = found.length === 1 && (only === name || model === name);
  return isSure && only !== undefined ? prices[only] : undefined;
}

/** The usage with the cost that its tokens have by the price, unless the backend reported a cost itself. */
export function withPrice(usage: Usage, price: ModelPrice | undefined): Usage {
  const { inputTokens, outputTokens, cachedTokens = 0, costUsd } = usage;
  const isKnown = inputTokens !== undefined || outputTokens !== undefined;
  if (price === undefined || costUsd !== undefined || !isKnown) return usage;
  const { inputPerMTok, outputPerMTok, cachedPerMTok = inputPerMTok } = price;
  const fresh = Math.max(0, (inputTokens ?? 0) - cachedTokens);
  const sum =
    fresh * inputPerMTok + cachedTokens * cachedPerMTok + (outputTokens ?? 0) * outputPerMTok;
  return { ...usage, costUsd: sum / PER_MILLION };
}

function nameOf(model: string): string {
  return model.slice(model.lastIndexOf("/") + 1);
}
