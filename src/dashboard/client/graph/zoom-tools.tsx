import type { JSX, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { nextScale, scrollAfter, type Zoom } from "../model/zoom.ts";

interface ZoomToolsProps {
  readonly scale: number;
  readonly onZoom: (zoom: Zoom) => void;
}

/** Makes a drawing larger, smaller, or as large as there is room for all of it. */
export function ZoomTools({ scale, onZoom }: ZoomToolsProps): JSX.Element {
  return (
    <fieldset class="zoom" aria-label="Size of the graph">
      <button
        type="button"
        aria-label="Smaller"
        title="Smaller (-)"
        onClick={() => onZoom(nextScale(scale, -1))}
      >
        −
      </button>
      <output aria-label="Size">{Math.round(scale * 100)} %</output>
      <button
        type="button"
        aria-label="Larger"
        title="Larger (+)"
        onClick={() => onZoom(nextScale(scale, 1))}
      >
        +
      </button>
      <button type="button" title="All of it (0)" onClick={() => onZoom("fit")}>
        Fit
      </button>
    </fieldset>
  );
}

/** What a key means for the size of a drawing; undefined leaves it to others. */
export function zoomOfKey(
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
  scale: number,
): Zoom | undefined {
  // With them held the browser makes the whole page larger.
  if (ctrlKey || metaKey || altKey) return undefined;
  if (key === "+" || key === "=") return nextScale(scale, 1);
  if (key === "-") return nextScale(scale, -1);
  return key === "0" ? "fit" : undefined;
}

/** Keeps what is in the middle of a drawing there when somebody changes its size; undefined: nobody has. */
export function useKeptMiddle(
  scroller: RefObject<HTMLElement | null>,
  scale: number | undefined,
): void {
  const before = useRef(scale);
  useLayoutEffect(() => {
    const { current } = scroller;
    const ratio = scale === undefined ? 1 : scale / (before.current ?? scale);
    before.current = scale;
    if (current === null || ratio === 1) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = current;
    current.scrollTo({
      left: scrollAfter(scrollLeft, clientWidth, ratio),
      top: scrollAfter(scrollTop, clientHeight, ratio),
    });
  }, [scroller, scale]);
}
