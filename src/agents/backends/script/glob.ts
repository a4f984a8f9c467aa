/**
 * Whether a name fits a pattern in which `*` stands for any characters and `?` for one. Everything
 * else stands for itself. Goes back to the last star only, so it takes at most name times pattern steps.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  let at = 0;
  let inPattern = 0;
  let afterStar = -1;
  let starTook = 0;
  while (at < name.length) {
    const wanted = pattern[inPattern];
    if (wanted === "*") {
      inPattern += 1;
      afterStar = inPattern;
      starTook = at;
    } else if (wanted === "?" || wanted === name[at]) {
      inPattern += 1;
      at += 1;
    } else if (afterStar >= 0) {
      starTook += 1;
      at = starTook;
      inPattern = afterStar;
    } else return false;
  }
  while (pattern[inPattern] === "*") inPattern += 1;
  return inPattern === pattern.length;
}

/** Whether a name is a pattern at all. */
export function isGlob(name: string): boolean {
  return name.includes("*") || name.includes("?");
}
