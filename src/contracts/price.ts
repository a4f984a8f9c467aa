import type { AgentSpec } from "./agent.ts";
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

/** The price of an agent's model; undefined when it is not known. */
export type Pricing = (agent: Pick<AgentSpec, "backend" | "model">) => ModelPrice | undefined;

/** Prices by model: `vendor/model`, or the model alone. */
export type PriceTable = { readonly [model: string]: ModelPrice };

const PER_MILLION = 1_000_000;
// A snapshot of a model has its price, unless it has one of its own: `gpt-5-2025-08-07`, `claude-opus-4-1-20250805`.
const SNAPSHOT_DATE = /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/;

/** The price of a model, written with or without its vendor on either side; undefined when it is not known. */
export function priceOf(prices: PriceTable, model: string | undefined): ModelPrice | undefined {
  if (model === undefined) return undefined;
  return listedPrice(prices, model) ?? listedPrice(prices, model.replace(SNAPSHOT_DATE, ""));
}

/**
 * The usage with the cost that its tokens have by the price, told as an estimate, unless the backend reported a
 * cost itself.
 */
export function withPrice(usage: Usage, price: ModelPrice | undefined): Usage {
  const { inputTokens, outputTokens, cachedTokens = 0, costUsd } = usage;
  const isKnown = inputTokens !== undefined || outputTokens !== undefined;
  if (price === undefined || costUsd !== undefined || !isKnown) return usage;
  const { inputPerMTok, outputPerMTok, cachedPerMTok = inputPerMTok } = price;
  const fresh = Math.max(0, (inputTokens ?? 0) - cachedTokens);
  const sum =
    fresh * inputPerMTok + cachedTokens * cachedPerMTok + (outputTokens ?? 0) * outputPerMTok;
  const estimatedUsd = sum / PER_MILLION;
  return { ...usage, costUsd: estimatedUsd, estimatedUsd };
}

function listedPrice(prices: PriceTable, model: string): ModelPrice | undefined {
  if (Object.hasOwn(prices, model)) return prices[model];
  const name = nameOf(model);
  const found = Object.keys(prices).filter((known) => nameOf(known) === name);
  // Two vendors with a model of one name: nothing says which of them is meant.
  const [only] = found;
  const isSure = found.length === 1 && (only === name || model === name);
  return isSure && only !== undefined ? prices[only] : undefined;
}

function nameOf(model: string): string {
  return model.slice(model.lastIndexOf("/") + 1);
}
