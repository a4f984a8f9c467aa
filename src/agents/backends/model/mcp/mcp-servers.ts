import type { McpServerSpec } from "../../../../contracts/agent.ts";
import { isNamedBy } from "../../../../contracts/agent.ts";
import { count } from "../../../../foundation/count.ts";
import { sha256 } from "../../../../foundation/hash.ts";
import { isJsonObject, isRecord, toJson } from "../../../../foundation/json.ts";
import { ToolFailure } from "../files/tool-failure.ts";
import type { ModelTool, RunningToolUse } from "../tools/model-tool.ts";
import { McpServer, type ServerPlace, type ServerTool } from "./mcp-server.ts";

// Owns the servers of MCP that an agent was given (LOOP-3).
// M1: one that fails is told, and the others and the agent go on.
// M2: what a tool says of itself when it is first seen is kept; one that says otherwise later is used only once a
//     person has agreed.

/** Providers take no longer names. */
const MAX_NAME_CHARS = 64;

/** Which tools there may be, as an agent declares it. */
export interface ToolChoice {
  readonly tools: readonly string[] | undefined;
  readonly disallowedTools: readonly string[] | undefined;
}

/** What is kept of tools: hashes of what they said of themselves. */
export interface ToolPins {
  /** The one that is agreed to; undefined for a tool that is new. */
  of(tool: string): string | undefined;
  keep(pins: { readonly [tool: string]: string }): void;
}

/** The servers of one session. */
export class McpServers {
  readonly #servers: ReadonlyMap<string, McpServer>;
  readonly #choice: ToolChoice;
  readonly #pins: ToolPins;
  readonly #failures: string[];

  private constructor(
    opened: { readonly servers: ReadonlyMap<string, McpServer>; readonly failures: string[] },
    choice: ToolChoice,
    pins: ToolPins,
  ) {
    this.#servers = opened.servers;
    this.#failures = opened.failures;
    this.#choice = choice;
    this.#pins = pins;
  }

  /** Connects to all of them at once. */
  static async open(
    specs: { readonly [name: string]: McpServerSpec },
    place: ServerPlace,
    { choice, pins }: { readonly choice: ToolChoice; readonly pins: ToolPins },
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
    return new McpServers({ servers, failures }, choice, pins);
  }

  /** What an agent is to know of servers that it lacks. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /** The tools that the agent may use. */
  get tools(): readonly ModelTool[] {
    const all = [...this.#servers].flatMap(([name, server]) =>
      server.tools
        .map((tool) => this.#toModelTool(name, server, tool))
        .filter((tool) => this.#isAllowed(tool)),
    );
    // Two that look alike once they have names that models can call would make a provider refuse them all.
    return [...new Map(all.toReversed().map((tool) => [tool.name, tool])).values()].toReversed();
  }

  /** Before a turn: what servers say of their tools now, new ones kept. */
  async prepare(): Promise<void> {
    for (const [name, server] of this.#servers)
      await server
        .refresh()
        .catch((error: unknown) => this.#failures.push(failureText(name, error)));
    const fresh = [...this.#servers].flatMap(([name, { tools }]) =>
      tools.flatMap(({ tool, hash }) => {
        const shown = toolName(name, tool);
        return this.#pins.of(shown) === undefined ? [[shown, hash] as const] : [];
      }),
    );
    if (fresh.length > 0) this.#pins.keep(Object.fromEntries(fresh));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }

  #isAllowed({ name }: ModelTool): boolean {
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
          run: async (use) => {
            await this.#agree({ server, name, described }, use);
            return connection.call(tool, isJsonObject(input) ? input : {}, use.signal);
          },
        };
      },
    };
  }

  /** Raises ToolFailure when nobody agrees. */
  async #agree(
    {
      server,
      name,
      described,
    }: { readonly server: string; readonly name: string; readonly described: ServerTool },
    { ask }: RunningToolUse,
  ): Promise<void> {
    const { tool, description, hash } = described;
    const known = this.#pins.of(name);
    if (known === undefined || known === hash) return;
    const question = `The tool ${tool} of the server ${server} says of itself now what it did not say before:\n\n${description}\n\nMay the agent use it?\n1. yes\n2. no`;
    const answer = await ask(question, { options: ["yes", "no"] });
    if (answer.trim().toLowerCase() !== "yes")
      throw new ToolFailure(`${name} has changed, and nobody has agreed to what it is now`);
    this.#pins.keep({ [name]: hash });
  }
}

function failureText(name: string, error: unknown): string {
  return `[troupe] The tools of the server ${name} are not there: ${error instanceof Error ? error.message : String(error)}`;
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
