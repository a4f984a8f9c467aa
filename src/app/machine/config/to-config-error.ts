import type { ErrorFactory, TroupeError } from "../../../foundation/errors.ts";
import {
  configMissingKey,
  configSyntax,
  configType,
  configUnknownKey,
  configValue,
} from "./errors.ts";

type SaidFactory = ErrorFactory<string, { readonly message: string; readonly hint?: string }>;

const BY_WORKFLOW_CODE: ReadonlyMap<string, SaidFactory> = new Map<string, SaidFactory>([
  ["WORKFLOW_UNKNOWN_KEY", configUnknownKey],
  ["WORKFLOW_TYPE", configType],
  ["WORKFLOW_VALUE", configValue],
  ["WORKFLOW_MISSING_KEY", configMissingKey],
]);

/** The same error under the code that it has in configuration files; all that parsing finds is one code. */
export function toConfigError({ code, message, hint }: TroupeError): TroupeError {
  const build = BY_WORKFLOW_CODE.get(code) ?? configSyntax;
  // The only hint that speaks of workflows.
  if (hint === undefined || code === "WORKFLOW_TOO_COMPLEX") return build({ message });
  return build({ message, hint });
}
