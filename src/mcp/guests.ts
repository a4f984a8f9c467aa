import { randomBytes } from "node:crypto";
import type { ContextVisitor } from "../contracts/context-access.ts";
import { CONTEXT_TOKEN_PREFIX } from "../foundation/context-token.ts";
import { sha256 } from "../foundation/hash.ts";
import type { ConnectionBound } from "../host/connection-bound.ts";
import { Guest } from "./guest.ts";
import type { Refusal } from "./refusal.ts";

/** Everybody who is let in, by token. */
export interface GuestList {
  /** Makes a token for a session: 256 bits that nobody else has. */
  admit(visitor: ContextVisitor): { readonly token: string; readonly guest: Guest };
  /** The guest whose token this is. */
  find(token: string): Guest | undefined;
  /** Makes another token for the guest of one, which is unknown from here on; undefined if it was already. */
  renew(token: string): string | undefined;
  /** From here on the token is unknown. */
  dismiss(token: string): void;
  /** All guests there are. */
  all(): Iterable<Guest>;
}

/** Who may come to a desk, and who is told of those that may not. */
export interface DeskVisitors {
  readonly guests: Pick<GuestList, "find">;
  readonly connections: Pick<ConnectionBound, "serve">;
  readonly onRefused: (refusal: Refusal) => void;
}

const TOKEN_BYTES = 32;

/** An empty list. `version` is what the server tells of itself. */
export function createGuestList(version: string): GuestList {
  // By digest: how long a search takes tells nothing about any token, and none is kept.
  const guests = new Map<string, Guest>();
  const give = (guest: Guest) => {
    const token = `${CONTEXT_TOKEN_PREFIX}${randomBytes(TOKEN_BYTES).toString("base64url")}`;
    guests.set(sha256(token), guest);
    return token;
  };
  return {
    admit: (visitor) => {
      const guest = new Guest(visitor, version);
      return { token: give(guest), guest };
    },
    renew: (token) => {
      const guest = guests.get(sha256(token));
      guests.delete(sha256(token));
      return guest === undefined ? undefined : give(guest);
    },
    find: (token) => guests.get(sha256(token)),
    dismiss: (token) => void guests.delete(sha256(token)),
    all: () => guests.values(),
  };
}
