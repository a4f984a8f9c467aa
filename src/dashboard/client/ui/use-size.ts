import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** What is to be seen of an element that scrolls, in px. */
export interface Viewport {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
}

/** The viewport of the element that gets the ref; follows scrolling and resizing. */
export function useViewport<Kind extends HTMLElement>(): readonly [
  RefObject<Kind | null>,
  Viewport,
] {
  const element = useRef<Kind>(null);
  const [viewport, setViewport] = useState<Viewport>({ width: 0, height: 0, left: 0, top: 0 });
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const look = () =>
      setViewport({
        width: current.clientWidth,
        height: current.clientHeight,
        left: current.scrollLeft,
        top: current.scrollTop,
      });
    const observer = new ResizeObserver(look);
    observer.observe(current);
    current.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      current.removeEventListener("scroll", look);
    };
  }, []);
  return [element, viewport];
}
