import { sha256 } from "../../../foundation/hash.ts";

/** A text by somebody else that stands in a prompt. */
export interface DataBlock {
  /** What it is, in one line: `output of step "build"`. */
  readonly label: string;
  readonly text: string;
}

/**
 * Blocks between lines that share one boundary of 128 bits. It depends on all of the texts and occurs in
 * none of them, so that no text can end a block. Empty without blocks.
 */
export function renderDataBlocks(blocks: readonly DataBlock[]): string {
  const boundary = boundaryFor("data", blocks);
  return blocks
    .map(({ label, text }) => {
      const oneLine = label.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ");
      return `<<<${boundary} ${oneLine}\n${text}\n>>>${boundary}`;
    })
    .join("\n\n");
}

const BOUNDARY_DIGITS = 32;

/** `data_` or `span_` and 128 bits of the blocks' hash in hexadecimal; occurs in none of them. */
export function boundaryFor(kind: "data" | "span", blocks: readonly DataBlock[]): string {
  const texts = blocks.map(({ label, text }) => `${label}\n${text}`);
  let print = sha256(JSON.stringify(texts));
  for (;;) {
    const boundary = `${kind}_${print.slice(0, BOUNDARY_DIGITS)}`;
    if (!texts.some((text) => text.includes(boundary))) return boundary;
    print = sha256(print);
  }
}
