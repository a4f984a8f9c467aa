import { isAbsolute, normalize, relative, resolve } from "node:path";
import { canonicalJson, isRecord, type Json } from "../foundation/json.ts";

/** What a permission request is about, as rules see it. */
export interface RuleSubject {
  readonly kind: "command" | "path" | "text";
  /** What an allow rule has to fit. */
  readonly text: string;
  /** All that a deny rule may fit: parts of a command, other spellings of a path. */
  readonly spellings: readonly string[];
}

const PATH_KEYS = ["file_path", "path", "notebook_path"] as const;
const TEXT_KEYS = ["url", "query", "pattern"] as const;

/** The subject of a request: the command, path or text in its input, else its whole input as JSON. */
export function subjectOf(input: Json, cwd: string): RuleSubject {
  if (typeof input === "string") return { kind: "text", text: input, spellings: [input] };
  if (isRecord(input)) {
    const command = commandOf(input["command"]);
    if (command !== undefined) return commandSubject(command);
    const path = firstText(input, PATH_KEYS);
    if (path !== undefined) return pathSubject(path, cwd);
    const text = firstText(input, TEXT_KEYS);
    if (text !== undefined) return { kind: "text", text, spellings: [text] };
  }
  const text = canonicalJson(input);
  return { kind: "text", text, spellings: [text] };
}

function firstText(
  input: { readonly [key: string]: unknown },
  keys: readonly string[],
): string | undefined {
  return keys.map((key) => input[key]).find((value) => typeof value === "string");
}

function commandOf(value: unknown): readonly string[] | undefined {
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return undefined;
  const words: readonly unknown[] = value;
  const texts = words.filter((word) => typeof word === "string");
  return texts.length === words.length && texts.length > 0 ? texts : undefined;
}

function commandSubject(words: readonly string[]): RuleSubject {
  const whole = words.join(" ").trim();
  // An element of a list may be a script of its own: ["bash", "-c", "rm -rf x"].
  const parts = [whole, ...words].flatMap((text) => [text, ...text.split(/[;&|\n\r`(){}]+/)]);
  const spellings = parts.flatMap((part) => {
    const plain = part
      .replaceAll(/["'\\]/g, "")
      .replaceAll(/\s+/g, " ")
      .trim();
    return [part.trim(), plain, bareCommand(plain)];
  });
  return { kind: "command", text: whole, spellings: [...new Set(spellings)] };
}

const WRAPPERS: ReadonlySet<string> = new Set([
  ...["builtin", "command", "env", "exec", "nice", "nohup", "sudo", "time", "then", "do", "else"],
  ...["xargs", "!", "$"],
]);

/** The command without what stands before it and without the directory of its program. */
function bareCommand(command: string): string {
  const words = command.split(" ");
  while (words.length > 1 && isBeforeCommand(words[0] ?? "")) words.shift();
  const [program = "", ...rest] = words;
  return [program.slice(program.lastIndexOf("/") + 1), ...rest].join(" ");
}

function isBeforeCommand(word: string): boolean {
  return WRAPPERS.has(word.slice(word.lastIndexOf("/") + 1)) || /^[A-Za-z_]\w*=/.test(word);
}

function pathSubject(path: string, cwd: string): RuleSubject {
  const absolute = resolve(cwd, path);
  const inside = relative(cwd, absolute);
  const isOutside = inside === ".." || inside.startsWith("../") || isAbsolute(inside);
  const text = isOutside ? absolute : inside || ".";
  return { kind: "path", text, spellings: [...new Set([text, absolute, path, normalize(path)])] };
}
