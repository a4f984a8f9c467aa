/** Whether a place in a run is that of a step, named by id or full place, or lies inside of it. */
export function isPlaceOf(path: string, step: string): boolean {
  if (path === step || isInsidePlace(path, step)) return true;
  return path.split("/").some((segment) => idOf(segment) === step);
}

/** Whether a place lies inside of another one. */
export function isInsidePlace(path: string, around: string): boolean {
  return path.startsWith(`${around}/`) || path.startsWith(`${around}[`);
}

/** Items of a list, and instances of a matrix, are their step. */
function idOf(segment: string): string {
  return segment.replace(/\[\d+\]$| \(.*$/, "");
}
