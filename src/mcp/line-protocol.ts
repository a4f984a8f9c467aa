/** What a client asks for in `Upgrade` to speak MCP in lines on the connection, as over standard input and output. */
export const LINE_PROTOCOL = "mcp-lines";
