import type { Paint } from "../../paint.ts";
import type { Glyphs } from "../glyphs.ts";
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
