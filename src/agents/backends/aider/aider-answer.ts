/**
 * What the model said, from the part of aider's conversation file that a turn has added. There, what aider
 * says itself is quoted with `>` and what it was told stands in headings of the fourth level: lines of the
 * model that look so are lost.
 */
export function answerIn(conversation: string): string {
  const said = conversation
    .split("\n")
    .filter((line) => !/^(?:> |>$|#### |####$|# aider chat started at )/.test(line));
  return said
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}
