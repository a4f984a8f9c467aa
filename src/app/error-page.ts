import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PAGE = fileURLToPath(new URL("../../docs/reference/errors.md", import.meta.url));

/** What the documentation says about an error code, as Markdown without its heading; undefined for unknown codes. */
export function errorPage(code: string): string | undefined {
  const [, section] = readFileSync(PAGE, "utf8").split(`\n## ${code}\n`);
  return section?.split("\n## ")[0]?.trim();
}
