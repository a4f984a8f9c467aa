import { isAbsolute, normalize, relative, resolve, sep } from "node:path";
import { canonicalJson, isRecord, type Json } from "../foundation/json.ts";
import { commandSpellings } from "./command-spellings.ts";

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
