import { isDuration } from "../../foundation/duration.ts";

/**
 * Rewrites options with an optional value, which would swallow the argument after them: `--json=all` is a flag
 * of its own, and `--wait` takes the next argument only if that is a duration.
 */
export function withPlainFlags(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return args.map((arg, index) => {
    if (end >= 0 && index > end) return arg;
    if (arg === "--json=all") return "--json-all";
    return arg === "--wait" && !isDuration(args[index + 1] ?? "") ? "--wait=" : arg;
  });
}
