import type { Document } from "yaml";
import { isMap, isPair, isScalar, Lexer, LineCounter, parseDocument, visit } from "yaml";
import type { Place } from "./errors.ts";

/** Largest text that is read as YAML, in characters. */
export const MAX_YAML_CHARS = 8 * 1024 * 1024;

const MAX_DEPTH = 64;
const MAX_TOKENS = 400_000;
const MAX_ESCAPES = 100_000;
const MAX_ALIASES = 100;
const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Something wrong in a YAML text, and where. */
export interface YamlProblem {
  readonly message: string;
  readonly place: Place;
}

/** A YAML (or JSON) text as a plain value; the value is undefined when there are problems. */
export interface YamlSource {
  readonly value: unknown;
  readonly problems: readonly YamlProblem[];
  /** Place of a member, or of the key `key` in it; of the nearest one above when there is none. */
  placeOf(path: readonly PropertyKey[], key?: string): Place;
}

/**
 * Reads a text that somebody else wrote. Problems are: more than 8 Mi characters, 400,000 tokens, 100,000
 * escapes, 64 levels or 100 aliases; tags of one's own; repeated keys; the keys `__proto__`,
 * `constructor`, `prototype`.
 */
export function readYaml(source: string, file: string): YamlSource {
  const tooMuch = boundProblem(source);
  if (tooMuch !== undefined) return unreadable([{ message: tooMuch, place: { file } }], file);
  const lines = new LineCounter();
  // Repeated keys are searched below: the parser's own search is quadratic.
  const document = parseDocument(source, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    resolveKnownTags: false,
  });
  const placeAt = (offset: number | undefined): Place => {
    if (offset === undefined) return { file };
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const found = [...document.errors, ...document.warnings].map(({ message, pos }) => ({
    message: message.startsWith("Maximum call stack") ? "nested too deeply" : message,
    place: placeAt(pos[0]),
  }));
  if (found.length > 0) return unreadable(found.slice(0, 20), file);
  const problems = treeProblems(document).map(({ message, offset }) => ({
    message,
    place: placeAt(offset),
  }));
  if (problems.length > 0) return unreadable(problems, file);
  return {
    ...toValue(document, file),
    placeOf: (path, key) => placeAt(offsetOf(document, path, key)),
  };
}

function unreadable(problems: readonly YamlProblem[], file: string): YamlSource {
  return { value: undefined, problems, placeOf: () => ({ file }) };
}

function toValue(document: Document, file: string): Pick<YamlSource, "value" | "problems"> {
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }), problems: [] };
  } catch (error) {
    // The only thing that a sound document can still do is to expand to too many aliases.
    const message = error instanceof Error ? error.message : String(error);
    return { value: undefined, problems: [{ message, place: { file } }] };
  }
}

/** Refuses before parsing what the parser, which recurses, would choke on. */
function boundProblem(source: string): string | undefined {
  if (source.length > MAX_YAML_CHARS)
    return `the text has ${source.length} characters; the most is ${MAX_YAML_CHARS}`;
  let flowDepth = 0;
  let onLine = 0;
  let tokens = 0;
  let escapes = 0;
  for (const token of new Lexer().lex(source)) {
    tokens += 1;
    if (token.startsWith('"')) escapes += token.split("\\", MAX_ESCAPES + 2).length - 1;
    if (tokens > MAX_TOKENS) return `too large: more than ${MAX_TOKENS} words and marks`;
    if (escapes > MAX_ESCAPES) return `too many escapes in texts: the most is ${MAX_ESCAPES}`;
    if (token === "[" || token === "{") flowDepth += 1;
    // One that closes nothing makes no room for more.
    else if (token === "]" || token === "}") flowDepth = Math.max(0, flowDepth - 1);
    else if (token === "-" || token === "?") onLine += 1;
    else if (token.startsWith("\n") || token.startsWith("\r")) onLine = 0;
    if (flowDepth > MAX_DEPTH || onLine > MAX_DEPTH)
      return `nested too deeply: the most is ${MAX_DEPTH} levels`;
  }
  return undefined;
}

interface TreeProblem {
  readonly message: string;
  readonly offset: number | undefined;
}

function treeProblems(document: Document): readonly TreeProblem[] {
  const problems: TreeProblem[] = [];
  visit(document, {
    Node: (_, node, parents) => {
      if (parents.length > MAX_DEPTH * 2 + 1) {
        const offset = "range" in node ? node.range?.[0] : undefined;
        problems.push({ message: `nested too deeply: the most is ${MAX_DEPTH} levels`, offset });
        return visit.BREAK;
      }
      if (isMap(node)) problems.push(...keyProblems(node.items));
      return undefined;
    },
  });
  return problems.slice(0, 20);
}

function keyProblems(pairs: readonly { readonly key: unknown }[]): readonly TreeProblem[] {
  const seen = new Set<string>();
  const problems: TreeProblem[] = [];
  for (const { key } of pairs) {
    const name = isScalar(key) ? String(key.value) : undefined;
    const offset = isScalar(key) ? key.range?.[0] : undefined;
    if (name === undefined) problems.push({ message: "a key must be a plain text", offset });
    else if (PROTOTYPE_KEYS.has(name))
      problems.push({ message: `the key "${name}" is not allowed`, offset });
    else if (seen.has(name)) problems.push({ message: `the key "${name}" stands twice`, offset });
    else seen.add(name);
  }
  return problems;
}

function offsetOf(
  document: Document,
  path: readonly PropertyKey[],
  key: string | undefined,
): number | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (key !== undefined && length === path.length && isMap(node)) {
      const pair = node.items.find(
        (item) => isPair(item) && isScalar(item.key) && item.key.value === key,
      );
      if (isScalar(pair?.key)) return pair.key.range?.[0];
    }
    if (typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range))
      return Number(node.range[0]);
  }
  return undefined;
}
