import type { AgentFunctionInput } from "troupe";
import type { Row } from "./check-rows.ts";

/** Asks about all doubtful rows at once, and resolves with the rows that are to be imported. */
export async function askAboutRows({ prompt, ask }: AgentFunctionInput): Promise<readonly Row[]> {
  const rows: readonly Row[] = JSON.parse(prompt);
  const settled = await Promise.all(
    rows.map((row) => (row.doubt === undefined ? row : settle(row, row.doubt, ask))),
  );
  return settled.filter((row) => row !== undefined);
}

/** The row with the quantity that a person gave, or undefined when it is to be left out. */
async function settle(
  { line, sku, quantity }: Row,
  doubt: string,
  ask: AgentFunctionInput["ask"],
): Promise<Row | undefined> {
  const question = `line ${line}, ${sku}, quantity ${quantity}: ${doubt}. Answer with the right quantity, or "skip".`;
  for (
    let answer = await ask(question);
    ;
    answer = await ask(`"${answer}" is neither. ${question}`)
  ) {
    const given = answer.trim();
    if (given === "skip") return undefined;
    // A person may insist on what looks unusual, but not on what no delivery can be.
    if (/^[1-9]\d*$/.test(given)) return { line, sku, quantity: given };
  }
}
