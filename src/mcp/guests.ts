import { randomBytes } from "node:crypto";
import type { ContextMention, ContextVisitor } from "../contracts/context-access.ts";
import { CONTEXT_TOKEN_PREFIX } from "../foundation/context-token.ts";
import { sha256 } from "../foundation/hash.ts";
import type { ConnectionBound } from "../host/connection-bound.ts";
import { loadTools } from "../tools/registry.ts";
import { requestForbidden, tooManyRequests } from "./errors.ts";
import type { McpEndpoint } from "./mcp-endpoint.ts";
import { MentionRelay } from "./mention-relay.ts";
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

/** Requests of one session at the same time, streams that stay open included. */
const MAX_OPEN_REQUESTS = 32;

/** A session that was let in: what it has open here, all of which ends with it. */
export class Guest {
  readonly visitor: ContextVisitor;
  readonly mentions = new MentionRelay();
  readonly #version: string;
  #endpoint: Promise<McpEndpoint> | undefined;
  #open = 0;
  #isGone = false;

  constructor(visitor: ContextVisitor, version: string) {
    this.visitor = visitor;
    this.#version = version;
  }

  /** Whether this guest goes by the name that a request gives for its agent. */
  isCalled(name: string): boolean {
    const { agent, instance } = this.visitor;
    return name === agent || name === `${agent}@${instance}`;
  }

  /** A place for one request; `leave` gives it back, once. A refusal when all are taken. */
  enter(): { readonly leave: () => void } | { readonly refusal: Refusal } {
    const { agent } = this.visitor;
    if (this.#open >= MAX_OPEN_REQUESTS)
      return { refusal: { status: 429, error: tooManyRequests({ agent, open: this.#open }) } };
    this.#open += 1;
    let isIn = true;
    return {
      leave: () => {
        if (isIn) this.#open -= 1;
        isIn = false;
      },
    };
  }

  /** The guest's own MCP server. The SDK is loaded at the first call: most runs never need it. */
  endpoint(): Promise<McpEndpoint> {
    this.#endpoint ??= Promise.all([
      import("./mcp-endpoint.ts"),
      loadTools(this.visitor.tools),
    ]).then(([{ createMcpEndpoint }, tools]) => {
      if (this.#isGone) throw requestForbidden({ problem: "the session of its agent has ended" });
      return createMcpEndpoint(this.visitor, tools, this.#version);
    });
    return this.#endpoint;
  }

  /** Tells the clients that are connected. */
  mention(mention: ContextMention): void {
    this.mentions.send(mention);
  }

  /** Ends all that is open. Idempotent. */
  async close(): Promise<void> {
    this.#isGone = true;
    this.mentions.close();
    await (await this.#endpoint?.catch(() => undefined))?.close();
  }
}
