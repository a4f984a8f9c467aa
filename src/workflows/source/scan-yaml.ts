import { Lexer } from "yaml";
import type { TroupeError } from "../../foundation/errors.ts";
import { tooComplex, tooDeep } from "./errors.ts";
import type { SourceFault } from "./source-node.ts";
import { MAX_DEPTH } from "./source-node.ts";

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
export function scanYaml(text: string): SourceFault | undefined {
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
