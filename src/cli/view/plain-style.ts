import type { Settings } from "../terminal/settings.ts";
import { loadFit } from "../terminal/write-lines.ts";
import type { PlainViewOptions } from "./plain-view.ts";

/** How lines of plain progress look by the settings: in a terminal they fit and have its colours. */
export async function plainStyle(
  settings: Settings,
): Promise<
  Required<Pick<PlainViewOptions, "width" | "glyphs" | "fitLine">> &
    Pick<PlainViewOptions, "compose">
> {
  const { width, glyphs, paint } = settings;
  const style = { width, glyphs, fitLine: await loadFit(settings) };
  // Nothing to paint: what paints is not even loaded.
  if (paint("x", "done") === "x") return style;
  const { paintSign } = await import("../terminal/paint-sign.ts");
  return {
    ...style,
    compose: ({ time, who, what }) =>
      `${paint(time, "aside")} ${paint(who, "message")} ${paintSign(what, settings)}`,
  };
}
