import type { Glyphs } from "./glyphs.ts";
import type { PaintRole } from "./paint.ts";
import type { Settings } from "./settings.ts";

/** A line with the sign at its beginning in the colour of what it says. */
export function paintSign(
  line: string,
  { glyphs, paint }: Pick<Settings, "glyphs" | "paint">,
): string {
  const [, indent = "", sign = ""] = /^(\s*)(\S+)/.exec(line) ?? [];
  const role = roleOfSign(sign, glyphs);
  if (role === undefined) return line;
  return `${indent}${paint(sign, role)}${line.slice(indent.length + sign.length)}`;
}

/** What a sign says; undefined for what is none. */
export function roleOfSign(sign: string, glyphs: Glyphs): PaintRole | undefined {
  return rolesOf(glyphs).get(sign);
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
