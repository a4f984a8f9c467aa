import type { Glyphs } from "../../terminal/glyphs.ts";
import type { Paint } from "../../terminal/paint.ts";
import { type Signs, signsFor } from "./signs.ts";

/** How a picture is drawn: characters and colours. */
export interface LiveStyle {
  readonly glyphs: Glyphs;
  readonly signs: Signs;
  readonly paint: Paint;
}

/** A style for these characters and colours. */
export function createLiveStyle(glyphs: Glyphs, paint: Paint): LiveStyle {
  return { glyphs, signs: signsFor(glyphs), paint };
}
