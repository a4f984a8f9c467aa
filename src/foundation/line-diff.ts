/** A line of a text and what became of it since the text before. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

// Beyond this many pairs of lines the middle is shown as replaced as a whole.
const MAX_PAIRS = 1_000_000;

/** What changed from one text to the next, line by line, with the fewest changes unless both are very long. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, fresh] = [toLines(before), toLines(after)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let [oldEnd, freshEnd] = [old.length, fresh.length];
  while (oldEnd > start && freshEnd > start && old[oldEnd - 1] === fresh[freshEnd - 1]) {
    oldEnd -= 1;
    freshEnd -= 1;
  }
  return [
    ...mark("same", old.slice(0, start)),
    ...diffMiddle(old.slice(start, oldEnd), fresh.slice(start, freshEnd)),
    ...mark("same", old.slice(oldEnd)),
  ];
}

function diffMiddle(old: readonly string[], fresh: readonly string[]): readonly DiffLine[] {
  if (old.length * fresh.length > MAX_PAIRS)
    return [...mark("removed", old), ...mark("added", fresh)];
  const common = commonLengths(old, fresh);
  const width = fresh.length + 1;
  const lines: DiffLine[] = [];
  let [left, right] = [0, 0];
  while (left < old.length || right < fresh.length) {
    const [oldText, freshText] = [old[left], fresh[right]];
    if (oldText !== undefined && oldText === freshText) {
      lines.push({ kind: "same", text: oldText });
      left += 1;
      right += 1;
      continue;
    }
    const withoutOld = common[(left + 1) * width + right] ?? 0;
    const withoutFresh = common[left * width + right + 1] ?? 0;
    if (oldText !== undefined && (freshText === undefined || withoutOld >= withoutFresh)) {
      lines.push({ kind: "removed", text: oldText });
      left += 1;
    } else {
      lines.push({ kind: "added", text: freshText ?? "" });
      right += 1;
    }
  }
  return lines;
}

/** Length of the longest common subsequence of both rests, by place in both. */
function commonLengths(old: readonly string[], fresh: readonly string[]): Uint32Array {
  const width = fresh.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let left = old.length - 1; left >= 0; left -= 1)
    for (let right = fresh.length - 1; right >= 0; right -= 1) {
      const both = (lengths[(left + 1) * width + right + 1] ?? 0) + 1;
      const one = Math.max(
        lengths[(left + 1) * width + right] ?? 0,
        lengths[left * width + right + 1] ?? 0,
      );
      lengths[left * width + right] = old[left] === fresh[right] ? both : one;
    }
  return lengths;
}

function toLines(text: string): readonly string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function mark(kind: DiffLine["kind"], lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ kind, text }));
}
