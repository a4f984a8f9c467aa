/** How large a drawing is shown: as suits it, all of it at once, or times its own size. */
export type Zoom = "auto" | "fit" | number;

/** Width and height in px. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

// What does not fit even at the least size that can be read is scrolled at a better one.
const LEAST_READABLE = 0.68;
const SCROLLED = 0.85;
const STEPS: readonly number[] = [0.05, 0.1, 0.2, 0.35, 0.5, 0.68, 0.85, 1, 1.25, 1.5, 2];

/** By how much a drawing is enlarged in a viewport. */
export function scaleOf(zoom: Zoom, drawing: Size, viewport: Size): number {
  if (typeof zoom === "number") return zoom;
  const wide = viewport.width / drawing.width;
  if (zoom === "auto") return wide < LEAST_READABLE ? SCROLLED : Math.min(1, wide);
  const whole = Math.min(1, wide, viewport.height / drawing.height);
  return Math.max(STEPS[0] ?? 0, whole);
}

/** The next larger or smaller scale; the same at the end. */
export function nextScale(scale: number, direction: 1 | -1): number {
  const others = direction === 1 ? STEPS : STEPS.toReversed();
  const next = others.find((step) => (step - scale) * direction > 0.001);
  return next ?? scale;
}

/** Where a viewport has to be scrolled so that its middle stays, once all is `ratio` times as large. */
export function scrollAfter(scrolled: number, length: number, ratio: number): number {
  return Math.max(0, (scrolled + length / 2) * ratio - length / 2);
}
