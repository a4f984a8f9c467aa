import { readFileSync } from "node:fs";
import { packageFile } from "../../foundation/package-file.ts";

/** What the documentation says about an error code, as Markdown without its heading; undefined for unknown codes. */
export function errorPage(code: string): string | undefined {
  const [, section] = readFileSync(packageFile("docs/reference/errors.md"), "utf8").split(
    `\n## ${code}\n`,
  );
  return section?.split("\n## ")[0]?.trim();
}
