import type { McpServerSpec } from "../../../../contracts/agent.ts";
import { isNamedBy } from "../../../../contracts/agent.ts";
import {
  type PinnedTool,
  type ServerPins,
  TOOLS_CHANGED,
} from "../../../../contracts/ports/server-pins.ts";
import type { TurnClient } from "../../../../contracts/turn-client.ts";
import { count } from "../../../../foundation/count.ts";
import { sha256 } from "../../../../foundation/hash.ts";
import { isJsonObject, isRecord, toJson } from "../../../../foundation/json.ts";
import type { ModelTool } from "../tools/model-tool.ts";
import { changesOf, changeText } from "./compare-pins.ts";
import { McpServer, type ServerPlace, type ServerTool } from "./mcp-server.ts";

// Owns the servers of MCP that an agent was given (LOOP-3).
// M1: one that fails is told, and the others and the agent go on.
// M2: the project pins what tools say of themselves when it first uses their server. One that says something else later,
//     and one that comes later, is neither described to the model nor called until the change is allowed.
// M3: only what a person allowed is pinned; what a mode or a rule allowed holds for one turn.

/** Providers take no longer names. */
const MAX_NAME_CHARS = 64;

/** Which tools there may be, as an agent declares it. */
export interface ToolChoice {
  readonly tools: readonly string[] | undefined;
  readonly disallowedTools: readonly string[] | undefined;
}

/** What one session has agreed to: hashes of what tools said of themselves, by the names that the model has for them. */
export interface SessionPins {
  /** Undefined for a tool that is new. */
  of(tool: string): string | undefined;
  keep(pins: { readonly [tool: string]: string }): void;
}

/** What is known of tools before a session uses them. */
export interface KnownTools {
  readonly project: ServerPins;
  /** Counts where the project has no pins: they were removed, or the session is older than they are. */
  readonly session: SessionPins;
}

/** The servers of one session. */
export class McpServers {
  readonly #servers: ReadonlyMap<string, McpServer>;
  readonly #choice: ToolChoice;
  readonly #known: KnownTools;
  readonly #failures: string[];
  /** Those that may be used, by server. */
  readonly #usable = new Map<string, ReadonlySet<string>>();
  /** Changes that a person has refused in this session, as they were shown. */
  readonly #refused = new Set<string>();

  private constructor(
    opened: { readonly servers: ReadonlyMap<string, McpServer>; readonly failures: string[] },
    choice: ToolChoice,
    known: KnownTools,
  ) {
    this.#servers = opened.servers;
    this.#failures = opened.failures;
    this.#choice = choice;
    this.#known = known;
  }

  /** Connects to all of them at once. */
  static async open(
    specs: { readonly [name: string]: McpServerSpec },
    place: ServerPlace,
    { choice, known }: { readonly choice: ToolChoice; readonly known: KnownTools },
  ): Promise<McpServers> {
    const servers = new Map<string, McpServer>();
    const failures: string[] = [];
    const open = async ([name, spec]: readonly [string, McpServerSpec]) => {
      try {
        const server = await McpServer.open(spec, place);
        servers.set(name, server);
        if (server.omitted > 0) failures.push(omissionText(name, server.omitted));
      } catch (error) {
        failures.push(failureText(name, error));
      }
    };
    await Promise.all(Object.entries(specs).map(open));
    return new McpServers({ servers, failures }, choice, known);
  }

  /** The tools that the agent may use. */
  get tools(): readonly ModelTool[] {
    const all = [...this.#servers].flatMap(([name, server]) =>
      server.tools
        .filter(({ tool }) => this.#usable.get(name)?.has(tool) === true)
        .map((tool) => this.#toModelTool(name, server, tool))
        .filter((tool) => this.#isAllowed(tool.name)),
    );
    // Two that look alike once they have names that models can call would make a provider refuse them all.
    return [...new Map(all.toReversed().map((tool) => [tool.name, tool])).values()].toReversed();
  }

  /**
   * Before a turn: asks servers what their tools are now, and people about what has changed. Returns what the agent is to
   * know of tools that it lacks. Raises PINS_UNREADABLE, PINS_UNWRITABLE and the reason why nobody waits for an answer.
   */
  async prepare(client: Pick<TurnClient, "requestPermission">): Promise<readonly string[]> {
    const left: string[] = [];
    for (const [name, server] of this.#servers) {
      await server
        .refresh()
        .catch((error: unknown) => this.#failures.push(failureText(name, error)));
      const held = await this.#settle(name, server.tools, client);
      const usable = server.tools.filter(({ tool }) => !held.includes(tool));
      this.#usable.set(name, new Set(usable.map(({ tool }) => tool)));
      this.#keepInSession(name, usable);
      if (held.length > 0) left.push(heldText(name, held, this.#known.project.read(name) ?? []));
    }
    return [...this.#failures, ...left];
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }

  #isAllowed(name: string): boolean {
    const { tools, disallowedTools } = this.#choice;
    return (tools === undefined || isNamedBy(tools, name)) && !isNamedBy(disallowedTools, name);
  }

  #toModelTool(server: string, connection: McpServer, described: ServerTool): ModelTool {
    const { tool, description, inputSchema, isReadOnly } = described;
    const name = toolName(server, tool);
    return {
      ...{ name, description, inputSchema, hasEffect: !isReadOnly, isFree: false },
      prepare: async (given) => {
        if (!isRecord(given)) return "expected an object";
        const input = toJson(given, "the input of a tool");
        return {
          asks: input,
          run: ({ signal }) => connection.call(tool, isJsonObject(input) ? input : {}, signal),
        };
      },
    };
  }

  /** Returns the tools that the agent must not use: they changed, and nobody has allowed that. */
  async #settle(
    server: string,
    tools: readonly ServerTool[],
    client: Pick<TurnClient, "requestPermission">,
  ): Promise<readonly string[]> {
    const { project } = this.#known;
    const pinned = project.read(server) ?? project.pinFirst(server, this.#firstPins(server, tools));
    const offered = tools.filter(({ tool }) => this.#isAllowed(toolName(server, tool)));
    const changes = changesOf(
      pinned,
      offered.map(({ pin }) => pin),
    );
    if (changes.length === 0) return [];
    const text = changeText(server, changes);
    const held = changes.map(({ now }) => now.tool);
    if (this.#refused.has(text)) return held;
    const { decision, isRuled } = await client.requestPermission(TOOLS_CHANGED, text);
    if (decision === "allowed") {
      const agreed = changes.map(({ now }) => now);
      if (isRuled !== true) project.replace(server, agreed);
      return [];
    }
    if (isRuled !== true) this.#refused.add(text);
    return held;
  }

  /** All tools of a server that neither project nor session knows; else those that are as the session knows them. */
  #firstPins(server: string, tools: readonly ServerTool[]) {
    const { session } = this.#known;
    const told = tools.map(({ tool, hash, pin }) => ({
      pin,
      hash,
      known: session.of(toolName(server, tool)),
    }));
    const isNew = told.every(({ known }) => known === undefined);
    return told.filter(({ known, hash }) => isNew || known === hash).map(({ pin }) => pin);
  }

  #keepInSession(server: string, tools: readonly ServerTool[]): void {
    const { session } = this.#known;
    const fresh = tools.flatMap(({ tool, hash }) => {
      const name = toolName(server, tool);
      return session.of(name) === hash ? [] : [[name, hash] as const];
    });
    if (fresh.length > 0) session.keep(Object.fromEntries(fresh));
  }
}

function failureText(name: string, error: unknown): string {
  return `[troupe] The tools of the server ${name} are not there: ${error instanceof Error ? error.message : String(error)}`;
}

/** Names only tools that the project knows: the name of a new one is a text of the server, which nobody has allowed. */
function heldText(name: string, held: readonly string[], pinned: readonly PinnedTool[]): string {
  const known = held.filter((tool) => pinned.some((each) => each.tool === tool));
  const fresh = held.length - known.length;
  const parts = [...known, ...(fresh === 0 ? [] : [count(fresh, "new tool")])];
  return `[troupe] Left out of the server ${name}: ${parts.join(", ")}. They are new or have changed, and nobody has allowed that.`;
}

function omissionText(name: string, omitted: number): string {
  return `[troupe] ${count(omitted, "tool")} of the server ${name} ${omitted === 1 ? "is" : "are"} left out: it has too many, or says too much of them.`;
}

function toolName(server: string, tool: string): string {
  const name = `mcp__${server}__${tool.replaceAll(/[^\w-]/g, "_")}`;
  return name.length <= MAX_NAME_CHARS
    ? name
    : `${name.slice(0, MAX_NAME_CHARS - 9)}_${sha256(name).slice(0, 8)}`;
}
