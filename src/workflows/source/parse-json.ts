import type { TroupeError } from "../../foundation/errors.ts";
import {
  duplicateKey,
  forbiddenKey,
  sourceEmpty,
  sourceSyntax,
  tooComplex,
  tooDeep,
} from "./errors.ts";
import type {
  ParsedSource,
  SourceEntry,
  SourceFault,
  SourceNode,
  SourceRange,
} from "./source-node.ts";
import { FORBIDDEN_KEYS, MAX_DEPTH, MAX_JSON_NODES } from "./source-node.ts";

/** Parses JSON that may hold comments and trailing commas. It stops at the first fault that leaves the rest unclear. */
export function parseJsonSource(text: string): ParsedSource {
  const reader = new JsonReader(text);
  try {
    return { root: reader.document(), faults: reader.faults };
  } catch (error) {
    if (!(error instanceof JsonStop)) throw error;
    return { root: undefined, faults: [...reader.faults, error.fault] };
  }
}

class JsonStop extends Error {
  readonly fault: SourceFault;
  constructor(fault: SourceFault) {
    super(fault.error.message);
    this.fault = fault;
  }
}

const SPACE = /[ \t\r\n]/;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_$][\w$]*/y;
const STRING = /"(?:[^"\\\r\n]|\\.)*"/y;
const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

class JsonReader {
  readonly faults: SourceFault[] = [];
  readonly #text: string;
  #offset = 0;
  #depth = 0;
  #nodes = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): SourceNode {
    this.#skip();
    if (this.#offset >= this.#text.length) this.#stop(sourceEmpty({}), 0, 0);
    const root = this.#value();
    this.#skip();
    if (this.#offset < this.#text.length)
      this.#refuse("after the whole value comes more", "remove what follows");
    return root;
  }

  #value(): SourceNode {
    const start = this.#offset;
    this.#nodes += 1;
    if (this.#nodes > MAX_JSON_NODES)
      this.#stop(tooComplex({ what: "values", limit: MAX_JSON_NODES }), start, start + 1);
    const character = this.#text.charAt(start);
    if (character === "{" || character === "[") return this.#nested(character);
    if (character === '"') {
      const value = this.#string();
      return { kind: "scalar", value, start, end: this.#offset };
    }
    const number = this.#match(NUMBER);
    if (number !== undefined) return this.#number(number, start);
    const word = this.#match(WORD);
    const value = word === undefined ? undefined : WORDS.get(word);
    if (value !== undefined) return { kind: "scalar", value, start, end: this.#offset };
    this.#offset = start;
    return this.#refuse(
      character === "" ? "it ends too early" : `${JSON.stringify(word ?? character)} is no value`,
      "texts stand in double quotes",
    );
  }

  #number(text: string, start: number): SourceNode {
    const value = Number(text);
    if (Number.isFinite(value)) return { kind: "scalar", value, start, end: this.#offset };
    const reason = `${text} is too large a number`;
    return this.#stop(sourceSyntax({ format: "JSON", reason }), start, this.#offset);
  }

  #nested(opener: string): SourceNode {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      this.#stop(tooDeep({ limit: MAX_DEPTH }), this.#offset, this.#offset + 1);
    const node = opener === "{" ? this.#map() : this.#list();
    this.#depth -= 1;
    return node;
  }

  #list(): SourceNode {
    const start = this.#offset;
    const items: SourceNode[] = [];
    this.#offset += 1;
    while (!this.#closes("]")) {
      items.push(this.#value());
      this.#separator("]");
    }
    return { kind: "list", items, start, end: this.#offset };
  }

  #map(): SourceNode {
    const start = this.#offset;
    const entries = new Map<string, SourceEntry>();
    this.#offset += 1;
    while (!this.#closes("}")) {
      const keyRange = { start: this.#offset, end: this.#offset };
      if (this.#text.charAt(this.#offset) !== '"')
        this.#refuse("a key is missing here", "keys stand in double quotes");
      const key = this.#string();
      const range: SourceRange = { ...keyRange, end: this.#offset };
      this.#skip();
      if (this.#text.charAt(this.#offset) !== ":")
        this.#refuse(`after the key "${key}" comes no colon`);
      this.#offset += 1;
      this.#skip();
      const node = this.#value();
      if (FORBIDDEN_KEYS.has(key)) this.faults.push({ error: forbiddenKey({ key }), range });
      else if (entries.has(key)) this.faults.push({ error: duplicateKey({ key }), range });
      else entries.set(key, { key, keyRange: range, node });
      this.#separator("}");
    }
    return { kind: "map", entries, start, end: this.#offset };
  }

  #closes(closer: string): boolean {
    this.#skip();
    if (this.#text.charAt(this.#offset) !== closer) return false;
    this.#offset += 1;
    return true;
  }

  #separator(closer: string): void {
    this.#skip();
    const character = this.#text.charAt(this.#offset);
    if (character === ",") this.#offset += 1;
    else if (character !== closer)
      this.#refuse(
        character === "" ? `"${closer}" is missing` : `a comma or "${closer}" is missing`,
      );
  }

  #string(): string {
    const start = this.#offset;
    const raw = this.#match(STRING);
    if (raw === undefined) return this.#refuse("a text is not closed on its line", 'end it with "');
    try {
      return String(JSON.parse(raw));
    } catch {
      // Only a bad escape can be left: quotes and line ends were matched above.
      const error = sourceSyntax({ format: "JSON", reason: "a text has a bad escape" });
      return this.#stop(error, start, this.#offset);
    }
  }

  #skip(): void {
    while (this.#offset < this.#text.length) {
      if (SPACE.test(this.#text.charAt(this.#offset))) this.#offset += 1;
      else if (this.#text.startsWith("//", this.#offset)) this.#skipTo("\n", this.#text.length);
      else if (this.#text.startsWith("/*", this.#offset)) this.#skipTo("*/", undefined);
      else return;
    }
  }

  #skipTo(end: string, otherwise: number | undefined): void {
    const found = this.#text.indexOf(end, this.#offset + 2);
    if (found < 0 && otherwise === undefined)
      this.#refuse("a comment is not closed", "end it with */");
    this.#offset = found < 0 ? this.#text.length : found + end.length;
  }

  #match(pattern: RegExp): string | undefined {
    const sticky = new RegExp(pattern.source, "y");
    sticky.lastIndex = this.#offset;
    const found = sticky.exec(this.#text)?.[0];
    this.#offset += found?.length ?? 0;
    return found;
  }

  #refuse(reason: string, hint?: string): never {
    const end = Math.min(this.#offset + 1, this.#text.length);
    const details = { format: "JSON", reason, ...(hint === undefined ? {} : { hint }) };
    return this.#stop(sourceSyntax(details), this.#offset, end);
  }

  #stop(error: TroupeError, start: number, end: number): never {
    throw new JsonStop({ error, range: { start, end } });
  }
}
