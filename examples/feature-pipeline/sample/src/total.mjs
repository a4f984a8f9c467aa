/** The sum of prices. */
export function total(prices) {
  return prices.reduce((before, price) => before + price, 0);
}
