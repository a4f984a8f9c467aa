/** Longest pattern, in characters. */
const MAX_CHARS = 256;
const WILDCARD = /[*?]/;

/**
 * What is wrong with a pattern, or undefined. Patterns name files below a directory: `*` and `?` stand for
 * characters of one name, `**` for any number of directories, and the name of a directory for all that is in it.
 */
export function patternProblem(pattern: string): string | undefined {
  if (pattern === "") return "is empty";
  if (pattern.length > MAX_CHARS) return `has more than ${MAX_CHARS} characters`;
  if (/\p{Cc}/u.test(pattern)) return "has a control character";
  if (pattern.includes("\\")) return "has a backslash; write / between directories";
  if (pattern.startsWith("/") || pattern.startsWith("~")) return "is no path below the agent's cwd";
  return segmentsOf(pattern).includes("..") ? "leaves the agent's cwd" : undefined;
}

/** Whether a pattern stands for a path; both count from the same directory. Takes time linear in their product. */
export function matchesPath(pattern: string, path: string, foldsCase = false): boolean {
  const fold = (text: string) => (foldsCase ? text.toLowerCase() : text);
  const wanted = segmentsOf(fold(pattern));
  const names = segmentsOf(fold(path));
  // reached[i]: the first i segments of the pattern stand for the names so far.
  let reached = startOf(wanted);
  for (const name of names) {
    // All of the pattern is used up by a directory around the path.
    if (reached[wanted.length] === true) return true;
    reached = advance(wanted, reached, name);
  }
  return reached[wanted.length] === true;
}

/** As matchesPath, but the name of a directory stands for itself alone. */
export function matchesWholePath(pattern: string, path: string): boolean {
  const wanted = segmentsOf(pattern);
  const reached = segmentsOf(path).reduce(
    (before, name) => advance(wanted, before, name),
    startOf(wanted),
  );
  return reached[wanted.length] === true;
}

/** The directory that holds all that a pattern can stand for: what comes before the first name with a wildcard. */
export function staticDirectory(pattern: string): string {
  const segments = segmentsOf(pattern);
  const first = segments.findIndex((segment) => WILDCARD.test(segment));
  // Without a wildcard, at -1, the last name may be that of a file, which others replace by renaming.
  return segments.slice(0, first).join("/");
}

/** Whether a pattern names exactly one file or directory. */
export function isLiteral(pattern: string): boolean {
  return !WILDCARD.test(pattern);
}

function segmentsOf(path: string): readonly string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}

function startOf(wanted: readonly string[]): readonly boolean[] {
  const reached = [true];
  for (const [index, segment] of wanted.entries())
    reached.push(segment === "**" && reached[index] === true);
  return reached;
}

function advance(
  wanted: readonly string[],
  before: readonly boolean[],
  name: string,
): readonly boolean[] {
  const after = [false];
  for (const [index, segment] of wanted.entries()) {
    const isAny = segment === "**";
    const stays = isAny && before[index + 1] === true;
    const moves = !isAny && before[index] === true && matchesName(segment, name);
    // Directories that stand for nothing.
    const skips = isAny && after[index] === true;
    after.push(stays || moves || skips);
  }
  return after;
}

/** One name against one segment, going back to the last star at most: never exponential. */
function matchesName(segment: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let from = 0;
  for (let index = 0; index < name.length; ) {
    // First, for a name may begin with a star itself.
    if (segment[at] === "*") {
      star = at;
      from = index;
      at += 1;
    } else if (segment[at] === "?" || segment[at] === name[index]) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      from += 1;
      index = from;
    } else return false;
  }
  while (segment[at] === "*") at += 1;
  return at === segment.length;
}
