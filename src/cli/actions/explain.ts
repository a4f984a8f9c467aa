import { readFileSync } from "node:fs";
import { errorCatalog } from "../../app/catalogue/error-catalog.ts";
import { workflowSchema } from "../../app/setup/schemas/schema-files.ts";
import { fileKeys, findKeys, type WorkflowKey } from "../../app/setup/schemas/workflow-keys.ts";
import { nearestName } from "../../foundation/near-names.ts";
import { packageFile } from "../../foundation/package-file.ts";
import type { ActionOf } from "../command/command.ts";
import * as cliErrors from "../command/errors.ts";
import { EXIT, exitCodeOfCode } from "../command/exit-codes.ts";
import { asCalled } from "../command/suggested-commands.ts";
import type { explainCommand } from "../commands/explain.ts";
import type { Settings } from "../terminal/settings.ts";

/** `troupe explain`: an error code, or a key of workflow files. */
export const explainAction: ActionOf<typeof explainCommand> = async ({
  args,
  options,
  io,
  settings,
}) => {
  const { json: isJson } = options;
  const [given = ""] = args;
  const page = explainCode(given, settings) ?? explainKey(given, settings);
  io.stdout.write(
    isJson
      ? `${JSON.stringify({ v: 1, ...page.document })}\n`
      : `${asCalled(page.lines.join("\n"))}\n`,
  );
  return EXIT.completed;
};

interface Page {
  readonly document: object;
  readonly lines: readonly string[];
}

function explainCode(given: string, { paint }: Settings): Page | undefined {
  const entry = errorCatalog(cliErrors).get(given.toUpperCase());
  if (entry === undefined) return undefined;
  const { code, about, retryable } = entry;
  return {
    document: { code, about, retryable, exitCode: exitCodeOfCode(code) },
    lines: [paint(code, "message"), "", errorPage(code) ?? about],
  };
}

/** Raises USAGE_CODE_UNKNOWN for what looks like a code, USAGE_KEY_UNKNOWN for everything else. */
function explainKey(given: string, { paint }: Settings): Page {
  const known = fileKeys(workflowSchema());
  const keys = findKeys(given, known);
  if (keys.length === 0) throw unknown(given, known);
  const lines = keys.flatMap((key) => [paint(key.path, "message"), ...keyLines(key), ""]);
  return { document: { keys }, lines: lines.slice(0, -1) };
}

function keyLines({ path, about, type, default: fallback, ...key }: WorkflowKey): string[] {
  return [
    ...(about === "" ? [] : [`  ${about}`]),
    `  type      ${type}`,
    ...(key.isRequired ? ["  required  yes"] : []),
    ...(fallback === null ? [] : [`  default   ${fallback}`]),
    ...(key.example === null ? [] : [`  example   ${path.split(".").at(-1)}: ${key.example}`]),
  ];
}

function unknown(given: string, keys: readonly WorkflowKey[]): Error {
  const codes = [...errorCatalog(cliErrors).keys()];
  const isCode = /^[A-Z]+(_[A-Z0-9]+)+$/.test(given) || nearestName(given, codes) !== undefined;
  if (isCode) return cliErrors.codeUnknown({ given, known: codes });
  const names = given.includes(".") ? keys.map(({ path }) => path) : keys.map(lastOf);
  return cliErrors.keyUnknown({ given, near: nearestName(given, names) });
}

function lastOf({ path }: WorkflowKey): string {
  return path.split(".").at(-1) ?? path;
}

/** What the documentation says about an error code, as Markdown without its heading; undefined for unknown codes. */
export function errorPage(code: string): string | undefined {
  const [, section] = readFileSync(packageFile("docs/reference/errors.md"), "utf8").split(
    `\n## ${code}\n`,
  );
  return section?.split("\n## ")[0]?.trim();
}
