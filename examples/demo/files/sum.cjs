// Adds up a list of numbers.
exports.sum = function sum(numbers) {
  let total = 0;
  for (const number of numbers) if (number > 0) total += number;
  return total;
};
