import type { WaitingItem } from "../../../contracts/run.ts";
import { TROUPE } from "../../command/called-as.ts";

/** The commands that move a waiting item on. `run` is the id of the run that waits. */
export function answerCommands(
  item: Pick<WaitingItem, "id" | "kind">,
  run: string,
): readonly string[] {
  switch (item.kind) {
    case "approval":
    case "permission":
      return [`${TROUPE} approve ${item.id}`, `${TROUPE} reject ${item.id} -m "why"`];
    case "question":
      return [`${TROUPE} answer ${item.id} "text"`];
    case "pause":
      return [`${TROUPE} resume ${run}`];
  }
}

/** A waiting item in one line: `approval apr_91 (deploy): "Push 3 files?"`. */
export function describeItem(item: WaitingItem, text: string): string {
  const place = item.agent ?? item.step;
  return `${item.kind} ${item.id}${place === undefined ? "" : ` (${place})`}: "${text}"`;
}
