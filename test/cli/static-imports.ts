import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Everything that loading a file loads: paths of files, names of packages. */
export function staticImports(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = readFileSync(file, "utf8");
  const imports = [
    ...source.matchAll(/^import (?!type )[^;]*?from "([^"]+)";/gms),
    ...source.matchAll(/^export (?:\{[^}]*\}|\*) from "([^"]+)";/gms),
  ];
  for (const [, name = ""] of imports) {
    if (name.startsWith(".")) staticImports(join(dirname(file), name), seen);
    else seen.add(name);
  }
  return seen;
}
