import { TROUPE } from "../../command/called-as.ts";
import type { LiveStyle } from "./live-style.ts";

/** What all keys do; where another process carries the run out, one leaves instead of stopping it. */
export function helpLines({ signs }: LiveStyle, isGuest: boolean): readonly string[] {
  const { arrows, enter } = signs;
  const keys: readonly (readonly [string, string])[] = [
    [`${arrows} j k`, "select a row"],
    [enter, "look into the row, or answer its question"],
    ["a", "approve what is asked"],
    ["c", "approve it with a comment"],
    ["r", "reject it, with a reason"],
    ["e", "edit what is approved, then approve it"],
    ["m", "write to the agent of the row"],
    ["g", "order by dependencies, or by attention"],
    ["p", `pause the run; ${TROUPE} resume goes on`],
    ["esc", "close, select nothing"],
    isGuest
      ? ["d ctrl-c", "leave; the run goes on"]
      : ["ctrl-c", "let go of the run; twice ends the process"],
    ["?", "this help; any key closes it"],
  ];
  const width = Math.max(...keys.map(([key]) => key.length));
  return keys.map(([key, about]) => `  ${key.padEnd(width)}  ${about}`);
}
