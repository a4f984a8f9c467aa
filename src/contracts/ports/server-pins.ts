/** The name under which permission rules and the journal know a change of the tools of an MCP server. */
export const TOOLS_CHANGED = "McpToolsChanged";

/** What a tool of an MCP server says of itself, as far as that reaches a model or decides how its calls run. */
export interface PinnedTool {
  /** The name that its server gives it. */
  readonly tool: string;
  readonly description: string;
  /** The schema of its input, as canonical JSON. */
  readonly schema: string;
  /** Whether it promises to change nothing. */
  readonly isReadOnly: boolean;
}

/**
 * The tools that a project knows of MCP servers. All methods raise PINS_UNREADABLE; those that write raise PINS_UNWRITABLE
 * too.
 */
export interface ServerPins {
  /** The tools that are pinned; undefined for a server that the project has never used. */
  read(server: string): readonly PinnedTool[] | undefined;
  /** Pins the tools of a server at its first use, unless another process was faster; returns what is pinned then. */
  pinFirst(server: string, tools: readonly PinnedTool[]): readonly PinnedTool[];
  /** Pins tools that a person has agreed to, in place of what they were. Other tools of the server stay. */
  replace(server: string, tools: readonly PinnedTool[]): void;
}
