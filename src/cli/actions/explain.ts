import { z } from "zod";
import { errorCatalog } from "../../app/error-catalog.ts";
import type { Action } from "../command.ts";
import * as cliErrors from "../errors.ts";
import { EXIT, exitCodeOfCode } from "../exit-codes.ts";

const explainOptions = z.object({ json: z.boolean().default(false) });

/** `troupe explain` */
export const explainAction: Action = async ({ args, options, io, settings }) => {
  const { json: isJson } = explainOptions.parse(options);
  const [given = ""] = args;
  const catalog = errorCatalog(cliErrors);
  const entry = catalog.get(given.toUpperCase());
  if (entry === undefined) throw cliErrors.codeUnknown({ given, known: [...catalog.keys()] });
  const { code, about, retryable } = entry;
  const exitCode = exitCodeOfCode(code);
  if (isJson) {
    io.stdout.write(`${JSON.stringify({ v: 1, code, about, retryable, exitCode })}\n`);
    return EXIT.completed;
  }
  const again = retryable ? "yes" : "no";
  io.stdout.write(
    `${settings.paint(code, "message")}\n\n${about}\n\nworth trying again: ${again}   exit code: ${exitCode}\n`,
  );
  return EXIT.completed;
};
