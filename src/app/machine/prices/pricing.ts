import { type PriceTable, type Pricing, priceOf } from "../../../contracts/price.ts";
import type { ConfigSettings } from "../config/config-settings.ts";
import { listPrices } from "./price-table.ts";

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
