import { styleText } from "node:util";

/** What a part of the output is, for colours. */
export type PaintRole =
  | "error"
  | "warning"
  | "message"
  | "place"
  | "gutter"
  | "mark"
  | "hint"
  | "done"
  | "failed"
  | "attention"
  | "working"
  | "aside";

/** Colours a part of the output, or leaves it as it is. */
export type Paint = (text: string, role: PaintRole) => string;

const STYLES = {
  error: ["bold", "red"],
  warning: ["bold", "yellow"],
  message: ["bold"],
  place: [],
  gutter: ["blue"],
  mark: ["red"],
  hint: ["cyan"],
  done: ["green"],
  failed: ["red"],
  attention: ["bold", "yellow"],
  working: ["cyan"],
  aside: ["gray"],
} as const satisfies { readonly [role in PaintRole]: readonly string[] };

/** Real colours, or none. */
export function createPaint(isColored: boolean): Paint {
  if (!isColored) return (text) => text;
  return (text, role) => {
    const [...styles] = STYLES[role];
    return styles.length === 0 || text === ""
      ? text
      : styleText(styles, text, { validateStream: false });
  };
}
