import { isRecord } from "../foundation/json.ts";

/** The `code` that Node gives to errors of the file system and of its own, such as `ENOENT`. */
export function systemErrorCode(error: unknown): string | undefined {
  const { code } = isRecord(error) ? error : { code: undefined };
  return typeof code === "string" ? code : undefined;
}
