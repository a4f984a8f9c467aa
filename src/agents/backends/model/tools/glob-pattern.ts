import { matchesWholePath, patternProblem } from "../../../../foundation/path-pattern.ts";
import { ToolFailure } from "../files/tool-failure.ts";

const MAX_ALTERNATIVES = 64;

/** A test of paths by a pattern with braces; one without `/` is of names at any depth if `isLoose`. Raises ToolFailure. */
export function pathTest(pattern: string, isLoose = false): (path: string) => boolean {
  const written = isLoose && !pattern.includes("/") ? `**/${pattern}` : pattern;
  const patterns = alternatives(written.replace(/^\.\//, ""));
  for (const each of patterns) {
    const problem = patternProblem(each);
    if (problem !== undefined) throw new ToolFailure(`the pattern "${pattern}" ${problem}`);
  }
  return (path) => patterns.some((each) => matchesWholePath(each, path));
}

/** `*.{a,b}` as `*.a` and `*.b`. */
function alternatives(pattern: string): readonly string[] {
  let done: readonly string[] = [pattern];
  for (;;) {
    const next = done.flatMap((each) => {
      const [whole, list] = /\{([^{}]*)\}/.exec(each) ?? [];
      if (whole === undefined || list === undefined) return [each];
      return list.split(",").map((choice) => each.replace(whole, () => choice));
    });
    if (next.length > MAX_ALTERNATIVES) throw new ToolFailure("the pattern has too many braces");
    if (next.length === done.length && next.every((each, index) => each === done[index]))
      return done;
    done = next;
  }
}
