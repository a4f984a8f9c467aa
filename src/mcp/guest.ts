import type { ContextMention, ContextVisitor } from "../contracts/context-access.ts";
import { requestForbidden, tooManyRequests } from "./errors.ts";
import type { McpEndpoint } from "./mcp-endpoint.ts";
import { MentionRelay } from "./mention-relay.ts";
import type { Refusal } from "./refusal.ts";

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
    this.#endpoint ??= import("./mcp-endpoint.ts").then(({ createMcpEndpoint }) => {
      if (this.#isGone) throw requestForbidden({ problem: "the session of its agent has ended" });
      return createMcpEndpoint(this.visitor, this.#version);
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
