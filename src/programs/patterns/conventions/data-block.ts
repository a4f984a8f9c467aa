import { shortId } from "../../../foundation/ids.ts";
import { seededRandom } from "../../../foundation/random.ts";

/** A text by somebody else that stands in a prompt. */
export interface DataBlock {
  /** What it is, in one line: `output of step "build"`. */
  readonly label: string;
  readonly text: string;
}

/**
 * Blocks between lines that share one boundary. It depends on the texts alone and occurs in none of
 * them, so that no text can end its own block. Empty without blocks.
 */
export function renderDataBlocks(blocks: readonly DataBlock[]): string {
  const boundary = boundaryFor(blocks);
  return blocks
    .map(({ label, text }) => {
      const oneLine = label.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ");
      return `<<<${boundary} ${oneLine}\n${text}\n>>>${boundary}`;
    })
    .join("\n\n");
}

function boundaryFor(blocks: readonly DataBlock[]): string {
  const random = seededRandom(blocks.map((block) => block.text).join("\n"));
  for (;;) {
    const boundary = shortId("data", random);
    if (!blocks.some((block) => `${block.label}\n${block.text}`.includes(boundary)))
      return boundary;
  }
}
