import { isAbsolute, normalize, relative, resolve, sep } from "node:path";
import { canonicalJson, isRecord, type Json } from "../foundation/json.ts";

/**
 * Where something lies: in the agent's directory; there, but in what makes programs run later (`guarded`);
 * or elsewhere. By its name only: links are not followed.
 */
export type Reach = "inside" | "guarded" | "outside";

/** What a permission request is about, as rules see it. */
export interface RuleSubject {
  readonly kind: "command" | "path" | "text";
  /** What an allow rule has to fit, every one of them. */
  readonly texts: readonly string[];
  /** All that a deny rule may fit: parts of a command, other spellings of a path. */
  readonly spellings: readonly string[];
  /** The farthest of its paths; `inside` of what has none. */
  readonly reach: Reach;
}

// Agents' programs do not agree on how the argument of a file tool is called.
const PATH_KEYS: readonly string[] = [
  ...["file_path", "path", "notebook_path", "absolute_path", "dir_path", "directory"],
  ...["filePath", "paths", "file_paths"],
];
const TEXT_KEYS: readonly string[] = ["url", "query", "pattern"];

// What git, shells, editors and agents' programs carry out by themselves.
const GUARDED: ReadonlySet<string> = new Set([
  ...[".git", ".husky", ".vscode", ".envrc", ".mcp.json", ".troupe", ".claude", ".codex"],
  ...[".gemini", ".cursor", ".opencode", "opencode.json", "opencode.jsonc"],
]);

/** The subject of a request: the command, paths or text in its input, else its whole input as JSON. */
export function subjectOf(input: Json, cwd: string): RuleSubject {
  if (typeof input === "string") return textSubject(input);
  if (isRecord(input)) {
    const paths = PATH_KEYS.flatMap((key) => textsIn(input[key]));
    const places = paths.map((path) => placeOf(path, cwd));
    const command = commandOf(input["command"]);
    if (command !== undefined) return commandSubject(command, farthest(places));
    if (places.length > 0) return pathSubject(places);
    const text = TEXT_KEYS.map((key) => input[key]).find((value) => typeof value === "string");
    if (text !== undefined) return textSubject(text);
  }
  return textSubject(canonicalJson(input));
}

function textSubject(text: string): RuleSubject {
  return { kind: "text", texts: [text], spellings: [text], reach: "inside" };
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return [];
  const items: readonly unknown[] = value;
  return items.filter((item) => typeof item === "string");
}

function commandOf(value: unknown): readonly string[] | undefined {
  const words = textsIn(value);
  const isWhole = !Array.isArray(value) || words.length === value.length;
  return isWhole && words.length > 0 ? words : undefined;
}

function commandSubject(words: readonly string[], reach: Reach): RuleSubject {
  const texts = [words.join(" ").trim()];
  return { kind: "command", texts, spellings: commandSpellings(words), reach };
}

function pathSubject(places: readonly Place[]): RuleSubject {
  return {
    kind: "path",
    texts: places.map(({ text }) => text),
    spellings: [...new Set(places.flatMap(({ spellings }) => spellings))],
    reach: farthest(places),
  };
}

function farthest(places: readonly Place[]): Reach {
  const reaches = places.map(({ reach }) => reach);
  if (reaches.includes("outside")) return "outside";
  return reaches.includes("guarded") ? "guarded" : "inside";
}

interface Place {
  readonly text: string;
  readonly spellings: readonly string[];
  readonly reach: Reach;
}

function placeOf(path: string, cwd: string): Place {
  const absolute = resolve(cwd, path);
  const inside = relative(cwd, absolute);
  const leadsOut = inside === ".." || inside.startsWith("../") || isAbsolute(inside);
  const text = leadsOut ? absolute : inside || ".";
  const spellings = [text, absolute, path, normalize(path)];
  // Whoever is given it may take ~ for the home directory.
  if (leadsOut || path.startsWith("~")) return { text, spellings, reach: "outside" };
  const isGuarded = inside.split(sep).some((part) => GUARDED.has(part.toLowerCase()));
  return { text, spellings, reach: isGuarded ? "guarded" : "inside" };
}

const WRAPPERS: ReadonlySet<string> = new Set([
  ...["builtin", "command", "doas", "env", "exec", "find", "nice", "nohup", "parallel", "setsid"],
  ...["stdbuf", "sudo", "time", "timeout", "watch", "xargs", "then", "do", "else", "!", "$"],
  ...["bash", "dash", "eval", "ksh", "sh", "zsh"],
]);

/** Words of a wrapped command that are tried as its beginning. */
const MAX_WRAPPED_WORDS = 16;

/**
 * All that a deny rule may fit in a command: the whole, its parts as a shell would take it apart, each also
 * without quotes, without the directory of its program and without what only wraps it.
 */
function commandSpellings(words: readonly string[]): readonly string[] {
  const whole = words.join(" ").trim();
  // An element of a list may be a script of its own: ["bash", "-c", "rm -rf x"].
  const parts = [whole, ...words].flatMap((text) => [text, ...text.split(/[;&|\n\r`(){}]+/)]);
  const spellings = parts.flatMap((part) => {
    const plain = part
      .replaceAll(/\$\{?IFS\}?/g, " ")
      .replaceAll(/["'\\]/g, "")
      .replaceAll(/\s+/g, " ")
      .trim();
    return [part.trim(), plain, ...wrappedCommands(plain)];
  });
  return [...new Set(spellings)];
}

/** What a command runs in the end: it, or whatever may begin behind a word that runs another command. */
function wrappedCommands(plain: string): readonly string[] {
  const words = plain.split(" ");
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  const command = first === -1 ? words : words.slice(first);
  if (!WRAPPERS.has(programOf(command[0] ?? ""))) return [bare(command)];
  // `sudo -u root rm x`, `timeout 5 rm x`: which words belong to the wrapper is not known.
  const count = Math.min(command.length, MAX_WRAPPED_WORDS);
  return Array.from({ length: count }, (_, index) => bare(command.slice(index)));
}

function bare([program = "", ...rest]: readonly string[]): string {
  return [programOf(program), ...rest].join(" ");
}

function programOf(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}
