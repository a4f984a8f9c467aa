import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from "yaml";
import type { TroupeError } from "../../foundation/errors.ts";
import {
  duplicateKey,
  forbiddenKey,
  sourceEmpty,
  sourceSyntax,
  tagNotAllowed,
  tooComplex,
  tooDeep,
} from "./errors.ts";
import {
  FORBIDDEN_KEYS,
  MAX_DEPTH,
  MAX_NODES,
  type ParsedSource,
  type SourceEntry,
  type SourceFault,
  type SourceNode,
  type SourceRange,
} from "./source-node.ts";

const MAX_ALIASES = 50;
const MAX_FAULTS = 20;
const REASONS: ReadonlyMap<string, string> = new Map([
  ["MULTIPLE_DOCS", "the file holds several documents"],
  ["TAB_AS_INDENT", "a line is indented with a tab"],
]);
const HINTS: ReadonlyMap<string, string> = new Map([
  ["TAB_AS_INDENT", "indent with spaces"],
  ["MULTIPLE_DOCS", "keep one document per file: remove the lines of three dashes"],
  ["BAD_INDENT", "indent all members of an object by the same number of spaces"],
  ["BLOCK_AS_IMPLICIT_KEY", 'put quotes around a text with ": " in it'],
  ["MISSING_CHAR", "close quotes and brackets; put quotes around a text with special characters"],
]);
// The parser says of a bracket that nobody closed that what follows is not indented enough.
const UNCLOSED = /must be sufficiently indented and end with a ([\]}])/;

/** Parses YAML 1.2 with the core schema, without tags and merge keys. */
export function parseYamlSource(text: string): ParsedSource {
  const excess = scanYaml(text);
  if (excess !== undefined) return { root: undefined, faults: [excess] };
  const document = parseDocument(text, {
    version: "1.2",
    schema: "core",
    prettyErrors: false,
    // "silent" would also keep quiet about further documents in the file.
    logLevel: "error",
    // The library compares all pairs of keys; converting finds duplicates in linear time.
    uniqueKeys: false,
  });
  const faults = [...document.errors, ...document.warnings]
    .filter((error) => error.code !== "TAG_RESOLVE_FAILED")
    .slice(0, MAX_FAULTS)
    .map((error) => openQuoteFault(error, document) ?? syntaxFault(error, text));
  if (document.contents === null) {
    const nothing = { error: sourceEmpty({}), range: { start: 0, end: 0 } };
    return { root: undefined, faults: faults.length === 0 ? [nothing] : faults };
  }
  return convertDocument(document, faults);
}

function syntaxFault(
  error: { readonly code: string; readonly message: string; readonly pos: [number, number] },
  text: string,
): SourceFault {
  const [start, end] = error.pos;
  const hint = hintOf(error.code, error.message);
  const line = REASONS.get(error.code) ?? error.message.split("\n")[0] ?? "";
  const reason = line.charAt(0).toLowerCase() + line.slice(1);
  const details = { format: "YAML", reason, ...(hint === undefined ? {} : { hint }) };
  const last = text.length;
  return {
    error: sourceSyntax(details),
    range: { start: Math.min(start, last), end: Math.min(end, last) },
  };
}

/** A quote that is never closed is missed at the end of the file, and mended where it was opened. */
function openQuoteFault(
  error: { readonly message: string },
  document: Document.Parsed,
): SourceFault | undefined {
  if (!/^Missing closing .quote/.test(error.message)) return undefined;
  let opened: SourceRange | undefined;
  visit(document, {
    Scalar: (_, node) => {
      if (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE") opened = rangeOf(node);
    },
  });
  if (opened === undefined) return undefined;
  const reason = "a quote is opened here and never closed";
  const details = {
    format: "YAML",
    reason,
    hint: "close it, or write '' for ' and \\\" for \" inside",
  };
  return { error: sourceSyntax(details), range: opened };
}

function convertDocument(document: Document.Parsed, found: readonly SourceFault[]): ParsedSource {
  const faults = [...found, ...tagFaults(document)];
  const conversion = new Conversion(document, faults);
  try {
    const root = document.contents === null ? undefined : conversion.convert(document.contents, 1);
    return { root: found.length === 0 ? root : undefined, faults };
  } catch (error) {
    if (!(error instanceof ConversionStop)) throw error;
    return { root: undefined, faults: [...faults, error.fault] };
  }
}

function tagFaults(document: Document.Parsed): readonly SourceFault[] {
  const faults: SourceFault[] = [];
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node) || node.tag === undefined) return;
      const tag = node.tag.replace("tag:yaml.org,2002:", "!!");
      faults.push({ error: tagNotAllowed({ tag }), range: rangeOf(node) });
    },
  });
  return faults;
}

class ConversionStop extends Error {
  readonly fault: SourceFault;
  constructor(error: TroupeError, range: SourceRange) {
    super(error.message);
    this.fault = { error, range };
  }
}

class Conversion {
  readonly #document: Document.Parsed;
  readonly #faults: SourceFault[];
  readonly #open = new Set<unknown>();
  #nodes = 0;
  #aliases = 0;

  constructor(document: Document.Parsed, faults: SourceFault[]) {
    this.#document = document;
    this.#faults = faults;
  }

  convert(node: unknown, depth: number): SourceNode {
    const range = rangeOf(node);
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES)
      throw new ConversionStop(tooComplex({ what: "values", limit: MAX_NODES }), range);
    if (depth > MAX_DEPTH) throw new ConversionStop(tooDeep({ limit: MAX_DEPTH }), range);
    if (isAlias(node)) return this.#alias(node, depth);
    if (!isMap(node) && !isSeq(node))
      return this.#scalar(isScalar(node) ? node.value : null, range);
    this.#open.add(node);
    const converted: SourceNode = isMap(node)
      ? this.#map(node, depth)
      : { kind: "list", items: node.items.map((item) => this.convert(item, depth + 1)), ...range };
    this.#open.delete(node);
    return converted;
  }

  #alias(alias: Alias, depth: number): SourceNode {
    const range = rangeOf(alias);
    this.#aliases += 1;
    if (this.#aliases > MAX_ALIASES)
      throw new ConversionStop(tooComplex({ what: "aliases", limit: MAX_ALIASES }), range);
    const target = alias.resolve(this.#document);
    if (target === undefined || this.#open.has(target)) {
      const reason = target === undefined ? "an alias names no anchor" : "an alias holds itself";
      throw new ConversionStop(sourceSyntax({ format: "YAML", reason }), range);
    }
    return this.convert(target, depth);
  }

  #scalar(value: unknown, range: SourceRange): SourceNode {
    if (typeof value === "number" && !Number.isFinite(value)) {
      const reason = `${String(value)} is no number that can be stored`;
      this.#faults.push({ error: sourceSyntax({ format: "YAML", reason }), range });
      return { kind: "scalar", value: 0, ...range };
    }
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      return { kind: "scalar", value, ...range };
    return { kind: "scalar", value: null, ...range };
  }

  #map(map: YAMLMap, depth: number): SourceNode {
    const entries = new Map<string, SourceEntry>();
    for (const pair of map.items) this.#entry(pair, entries, depth);
    return { kind: "map", entries, ...rangeOf(map) };
  }

  #entry(pair: Pair, entries: Map<string, SourceEntry>, depth: number): void {
    const keyRange = rangeOf(pair.key);
    if (!isScalar(pair.key)) {
      const reason = "a key must be a text";
      const hint = "put quotes around a value that begins with { or [";
      this.#faults.push({ error: sourceSyntax({ format: "YAML", reason, hint }), range: keyRange });
      return;
    }
    const key = String(pair.key.value);
    const end = { start: keyRange.end, end: keyRange.end };
    const node = isNode(pair.value) ? this.convert(pair.value, depth + 1) : this.#scalar(null, end);
    if (FORBIDDEN_KEYS.has(key))
      this.#faults.push({ error: forbiddenKey({ key }), range: keyRange });
    else if (entries.has(key)) this.#faults.push({ error: duplicateKey({ key }), range: keyRange });
    else entries.set(key, { key, keyRange, node });
  }
}

function rangeOf(node: unknown): SourceRange {
  const range = isNode(node) ? node.range : undefined;
  return { start: range?.[0] ?? 0, end: range?.[1] ?? range?.[0] ?? 0 };
}

const LIMITS = {
  parts: 30_000,
  "escapes in texts": 5_000,
  aliases: 50,
  anchors: 200,
  tags: 20,
  "brackets that close nothing": 20,
} as const;
const INDICATORS: ReadonlySet<string> = new Set(["-", "?", ":"]);
const MARKS: ReadonlySet<string> = new Set(["\u0002", "\u0018", "\u001f"]);

/**
 * Looks at the words of a YAML text before it is parsed: the parser itself can be brought down by
 * nesting, by many tokens and by many faulty escapes; the lexer takes the same time per character always.
 */
function scanYaml(text: string): SourceFault | undefined {
  const scan: Scan = { depth: 0, inLine: 0, found: new Map() };
  let offset = 0;
  for (const token of new Lexer().lex(text)) {
    const error = take(scan, token);
    if (error !== undefined) return { error, range: { start: offset, end: offset + 1 } };
    // The lexer marks documents and scalars with single control characters that are not in the text.
    if (!MARKS.has(token)) offset += token.length;
  }
  return undefined;
}

interface Scan {
  depth: number;
  inLine: number;
  readonly found: Map<string, number>;
}

function take(scan: Scan, token: string): TroupeError | undefined {
  if (token === "[" || token === "{") scan.depth += 1;
  else if (token.startsWith("\n") || token.startsWith("\r")) scan.inLine = 0;
  // Outside brackets each indicator in a line opens a level.
  else if (INDICATORS.has(token) && scan.depth === 0) scan.inLine += 1;
  if (scan.depth > MAX_DEPTH || scan.inLine > MAX_DEPTH) return tooDeep({ limit: MAX_DEPTH });
  const excess = count(scan, "parts", 1) ?? countSpecial(scan, token);
  if (token === "]" || token === "}") scan.depth = Math.max(0, scan.depth - 1);
  return excess;
}

function countSpecial(scan: Scan, token: string): TroupeError | undefined {
  const first = token.charAt(0);
  if (first === '"') return count(scan, "escapes in texts", token.split("\\").length - 1);
  if (first === "*") return count(scan, "aliases", 1);
  if (first === "&") return count(scan, "anchors", 1);
  if (first === "!") return count(scan, "tags", 1);
  const isStray = (token === "]" || token === "}") && scan.depth === 0;
  return isStray ? count(scan, "brackets that close nothing", 1) : undefined;
}

function count(scan: Scan, what: keyof typeof LIMITS, amount: number): TroupeError | undefined {
  const total = (scan.found.get(what) ?? 0) + amount;
  scan.found.set(what, total);
  return total > LIMITS[what] ? tooComplex({ what, limit: LIMITS[what] }) : undefined;
}

function hintOf(code: string, message: string): string | undefined {
  const [, end] = UNCLOSED.exec(message) ?? [];
  if (end === undefined) return HINTS.get(code);
  return `close the ${end === "]" ? "[" : "{"} before this line with a ${end}`;
}
