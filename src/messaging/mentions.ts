import { proseOf } from "../signals/prose.ts";

/** Whom a text names with `@`. */
export interface Mentions {
  /** Ids of agents in the order of their first mention, without the sender; after `@all` all of them. */
  readonly mentions: readonly string[];
  /** Names that nobody has, at most 20. */
  readonly unknown: readonly string[];
  /** Whether `@all` is among them. */
  readonly all: boolean;
  /** Whether `@user` or `@human` is among them, outside of quoted lines: who quotes does not ask. */
  readonly people: boolean;
}

/** Who can be mentioned, and by whom. */
export interface Participants {
  readonly known: readonly string[];
  readonly sender: string;
}

/** Names that stand for the person in front of a run. */
export const PEOPLE: ReadonlySet<string> = new Set(["user", "human"]);

const NOBODY: Mentions = { mentions: [], unknown: [], all: false, people: false };
const ALL = "all";
const MAX_UNKNOWN = 20;
// Nobody addresses more in one text; what is built to hold more must not hold up everybody else.
const MAX_MENTIONS = 20_000;
const MAX_NAME_CHARS = 64;
const NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_-]*/;
// Scripts that put spaces between words; a letter of another script may stand right before a mention.
const WORD_PATTERN = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_%+]$/u;
const TOKEN_END_PATTERN = /[\s<>"`]/;
const PACKAGE_PATTERN = /^\/[A-Za-z0-9_.-]/;
const QUOTED_LINE_PATTERN = /^ {0,3}>/;
const WWW_PATTERN = /^[([{']{0,3}www\./i;

/**
 * Finds the mentions of a text: `@name` at a word boundary, in any case, the longest known name first;
 * not in e-mail addresses, URLs, inline code and fenced code. Time is linear in the length of the text, of which
 * the first 20,000 words with an `@` are read.
 */
export function findMentions(text: string, participants: Participants): Mentions {
  if (!text.includes("@")) return NOBODY;
  const directory = createDirectory(participants.known);
  const found = new Set<string>();
  const unknown = new Map<string, string>();
  const prose = proseOf(text);
  for (const token of tokensWithAt(prose)) {
    for (const { name, isPackage } of namesOf(token)) {
      const known = longestKnown(name, directory);
      if (known !== undefined) found.add(known);
      else if (!isPackage && unknown.size < MAX_UNKNOWN) noteUnknown(name, unknown);
    }
  }
  const all = found.has(ALL);
  const agents = all ? participants.known : participants.known.filter((id) => found.has(id));
  const sender = participants.sender.toLowerCase();
  const order = [...found];
  return {
    mentions: agents
      .filter((id) => id.toLowerCase() !== sender)
      .sort((left, right) => (all ? 0 : order.indexOf(left) - order.indexOf(right))),
    unknown: [...unknown.values()],
    all,
    people: [...PEOPLE].some((name) => found.has(name)) && asksPeople(prose, directory),
  };
}

function asksPeople(prose: string, directory: Directory): boolean {
  const own = prose.split(/\r\n|[\n\r]/).filter((line) => !QUOTED_LINE_PATTERN.test(line));
  for (const token of tokensWithAt(own.join("\n")))
    for (const { name } of namesOf(token))
      if (PEOPLE.has(longestKnown(name, directory) ?? "")) return true;
  return false;
}

interface Directory {
  /** Ids by their lower-case form. */
  readonly ids: ReadonlyMap<string, string>;
  /** Longest first. */
  readonly lengths: readonly number[];
}

function createDirectory(known: readonly string[]): Directory {
  const names = [...known, ALL, ...PEOPLE];
  return {
    ids: new Map(names.map((id) => [id.toLowerCase(), id])),
    lengths: [...new Set(names.map((id) => id.length))].sort((left, right) => right - left),
  };
}

// A hyphen may end a name, so that `@coder-please` finds `coder` where nobody is called coder-please.
function longestKnown(name: string, { ids, lengths }: Directory): string | undefined {
  const lowered = name.toLowerCase();
  for (const length of lengths) {
    if (length > lowered.length || (length < lowered.length && lowered[length] !== "-")) continue;
    const id = ids.get(lowered.slice(0, length));
    if (id !== undefined) return id;
  }
  return undefined;
}

function noteUnknown(name: string, unknown: Map<string, string>): void {
  const trimmed = name.slice(0, MAX_NAME_CHARS).replace(/-+$/, "");
  if (!unknown.has(trimmed.toLowerCase())) unknown.set(trimmed.toLowerCase(), trimmed);
}

function* tokensWithAt(prose: string): Generator<string> {
  let end = 0;
  let left = MAX_MENTIONS;
  for (let at = prose.indexOf("@"); at >= 0 && left > 0; at = prose.indexOf("@", end)) {
    left -= 1;
    let start = at;
    while (start > end && !TOKEN_END_PATTERN.test(prose[start - 1] ?? " ")) start -= 1;
    end = at + 1;
    while (end < prose.length && !TOKEN_END_PATTERN.test(prose[end] ?? " ")) end += 1;
    yield prose.slice(start, end);
  }
}

function* namesOf(token: string): Generator<{ name: string; isPackage: boolean }> {
  let left = MAX_MENTIONS;
  const url = WWW_PATTERN.test(token) ? 0 : token.indexOf("://");
  const dot = token.indexOf(".");
  for (let at = token.indexOf("@"); at >= 0 && left > 0; at = token.indexOf("@", at + 1)) {
    left -= 1;
    const isInUrl = url >= 0 && url < at;
    const isInPath = token[at - 1] === "/" && dot >= 0 && dot < at;
    if (isInUrl || isInPath || WORD_PATTERN.test(token.slice(Math.max(0, at - 2), at))) continue;
    const name = NAME_PATTERN.exec(token.slice(at + 1, at + 2 + MAX_NAME_CHARS))?.[0];
    if (name === undefined) continue;
    const after = at + 1 + name.length;
    yield { name, isPackage: PACKAGE_PATTERN.test(token.slice(after, after + 2)) };
  }
}
