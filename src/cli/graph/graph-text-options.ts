import type { GraphTextOptions } from "../../app/history/draw-graph.ts";
import { ASCII_GLYPHS } from "../terminal/glyphs.ts";
import type { PaintRole } from "../terminal/paint.ts";
import type { Settings } from "../terminal/settings.ts";

type Signs = GraphTextOptions["signs"];

const ROLES: { readonly [part in keyof Signs | "line"]: PaintRole } = {
  pending: "place",
  running: "working",
  retrying: "attention",
  waiting: "attention",
  completed: "done",
  failed: "failed",
  skipped: "aside",
  blocked: "aside",
  cancelled: "failed",
  line: "aside",
};

/** How graphs are drawn where the settings say. */
export function graphTextOptions({
  glyphs,
  paint,
  width,
}: Pick<Settings, "glyphs" | "paint" | "width">): GraphTextOptions {
  const isAscii = glyphs === ASCII_GLYPHS;
  return {
    width,
    isAscii,
    signs: {
      pending: "",
      running: glyphs.working,
      retrying: glyphs.retry,
      waiting: glyphs.attention,
      completed: glyphs.done,
      failed: glyphs.failed,
      skipped: glyphs.skipped,
      blocked: glyphs.paused,
      cancelled: isAscii ? "/" : "⊘",
    },
    paint: (text, part) => paint(text, ROLES[part]),
  };
}
