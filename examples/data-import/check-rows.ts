import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { AgentFunctionInput } from "troupe";

/** A row of the file; `doubt` says why a person should look at it. */
export interface Row {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly sku: string;
  readonly quantity: string;
  readonly doubt?: string;
}

const USUAL_QUANTITY = 10_000;

/** Reads the file that the prompt names. A file that is not of this kind fails the step. */
export function checkRows({ prompt, cwd }: AgentFunctionInput): readonly Row[] {
  const [head, ...lines] = readFileSync(resolve(cwd, prompt), "utf8").trimEnd().split(/\r?\n/);
  if (head !== "sku,quantity")
    throw new Error(`${prompt}: expected the columns "sku,quantity", got "${head}"`);
  return lines.map((text, index) => toRow(text, index + 2));
}

/** Why a quantity is doubtful, or undefined. */
export function doubtAbout(quantity: string): string | undefined {
  if (!/^-?\d+$/.test(quantity)) return "the quantity is no whole number";
  if (Number(quantity) <= 0) return "nothing was delivered";
  return Number(quantity) > USUAL_QUANTITY ? "that is unusually much" : undefined;
}

function toRow(text: string, line: number): Row {
  const [sku = "", quantity = "", ...rest] = text.split(",").map((cell) => cell.trim());
  if (sku === "" || rest.length > 0)
    throw new Error(`line ${line}: expected two cells, got "${text}"`);
  const doubt = doubtAbout(quantity);
  return { line, sku, quantity, ...(doubt === undefined ? {} : { doubt }) };
}
