import { sourceSyntax, tooComplex } from "./errors.ts";
import { parseJsonSource } from "./parse-json.ts";
import { parseYamlSource } from "./parse-yaml.ts";
import type { ParsedSource, SourceFault } from "./source-node.ts";

const MAX_LINES = 50_000;

/** Parses a file by the end of its name: `.json` and `.jsonc` as JSON with comments, all else as YAML. */
export function parseSource(text: string, file: string): ParsedSource {
  const isJson = /\.jsonc?$/i.test(file);
  const fault = textFault(text, isJson ? "JSON" : "YAML");
  if (fault !== undefined) return { root: undefined, faults: [fault] };
  return isJson ? parseJsonSource(text) : parseYamlSource(text);
}

function textFault(text: string, format: string): SourceFault | undefined {
  let lines = 1;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const range = { start: index, end: index + 1 };
    if (isControl(code)) {
      const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
      const reason = `it holds the control character ${name}`;
      return { error: sourceSyntax({ format, reason, hint: "remove it" }), range };
    }
    if (code === 10) lines += 1;
    if (lines > MAX_LINES) return { error: tooComplex({ what: "lines", limit: MAX_LINES }), range };
  }
  return undefined;
}

// Tab and line ends are the only control characters that a text file needs.
function isControl(code: number): boolean {
  return code === 127 || (code < 32 && code !== 9 && code !== 10 && code !== 13);
}
