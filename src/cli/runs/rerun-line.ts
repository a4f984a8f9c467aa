import type { Rerun } from "../../app/again/rerun/rerun-run.ts";
import { count } from "../../foundation/count.ts";

/** What is said of a rerun before it begins. */
export function rerunLine({ run, of, offered }: Rerun): string {
  const what =
    offered === 0
      ? "it carries out every step again"
      : `may take over ${count(offered, "step")}; what steps did to files then is not done again`;
  return `${run} is a rerun of ${of}: ${what}`;
}
