import type { SignIn } from "../../../contracts/backend.ts";
import { sha256 } from "../../../foundation/hash.ts";

/** Who pays for the turns of an agent. */
export interface Account {
  /** Kind of the backend. */
  readonly kind: string;
  /** Address of its model, if not the usual one. */
  readonly baseUrl?: string | undefined;
  readonly signIn: SignIn;
  readonly env: { readonly [name: string]: string };
}

const HASH_CHARS = 12;

/** A text that is the same for whoever pays with the same key or login, and from which no key can be told. */
export function accountName({ kind, baseUrl, signIn, env }: Account): string {
  const payer =
    signIn.by === "key" ? sha256(env[signIn.variable] ?? "").slice(0, HASH_CHARS) : signIn.by;
  return [kind, ...(baseUrl === undefined ? [] : [baseUrl]), payer].join(" ");
}
