/** A place where a text looks as if a variable began. */
export interface OpenerPlace {
  /** The text since the last variable. */
  readonly before: string;
  readonly open: number;
  readonly opener: "{{" | "${{";
}

/**
 * The text that stands for an opener which begins no variable, with what is before it: one behind a backslash,
 * and in texts with `{{` all of `${{ ... }}`. Undefined when a variable begins.
 */
export function literalAt(
  text: string,
  { before, open, opener }: OpenerPlace,
): { readonly text: string; readonly end: number } | undefined {
  if (before.endsWith("\\"))
    return { text: `${before.slice(0, -1)}${opener}`, end: open + opener.length };
  if (opener === "${{" || !before.endsWith("$")) return undefined;
  // ${{ ... }} is the variable syntax of other shapes and plain text here, with all that is inside.
  const close = text.indexOf("}}", open);
  const end = close < 0 ? text.length : close + 2;
  return { text: before + text.slice(open, end), end };
}
