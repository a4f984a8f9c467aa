import type { JSX } from "preact";
import { toVisibleText } from "../../../foundation/printable.ts";

/** Who speaks or works, with a colour that stays the same; the name says it without the colour. */
export function Person({ id }: { id: string }): JSX.Element {
  return (
    <span class="person">
      <span class="dot" style={{ "--hue": hueOf(id) }} aria-hidden />
      {toVisibleText(id)}
    </span>
  );
}

function hueOf(id: string): number {
  let sum = 7;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return (sum * 47) % 360;
}
