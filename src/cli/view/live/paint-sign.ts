import type { Glyphs } from "../../terminal/glyphs.ts";
import type { PaintRole } from "../../terminal/paint.ts";
import type { LiveStyle } from "./live-style.ts";

/** A line with the sign at its beginning in the colour of what it says. */
export function paintSign(
  line: string,
  { glyphs, paint }: Pick<LiveStyle, "glyphs" | "paint">,
): string {
  const [, indent = "", sign = ""] = /^(\s*)(\S+)/.exec(line) ?? [];
  const role = rolesOf(glyphs).get(sign);
  if (role === undefined) return line;
  return `${indent}${paint(sign, role)}${line.slice(indent.length + sign.length)}`;
}

function rolesOf(glyphs: Glyphs): ReadonlyMap<string, PaintRole> {
  return new Map([
    [glyphs.done, "done"],
    [glyphs.failed, "failed"],
    [glyphs.attention, "attention"],
    [glyphs.retry, "attention"],
    [glyphs.paused, "attention"],
    [glyphs.working, "working"],
    [glyphs.arrow, "hint"],
    [glyphs.edit, "hint"],
    [glyphs.skipped, "aside"],
  ]);
}
