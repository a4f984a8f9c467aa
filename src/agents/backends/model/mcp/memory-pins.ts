import type { PinnedTool, ServerPins } from "../../../../contracts/ports/server-pins.ts";

/** Pins that end with this process, over those that `below` can read. Defaults to none below. */
export function createMemoryPins(
  below: Pick<ServerPins, "read"> = { read: () => undefined },
): ServerPins {
  const own = new Map<string, readonly PinnedTool[]>();
  const read = (server: string) => own.get(server) ?? below.read(server);
  return {
    read,
    pinFirst: (server, tools) => {
      const pinned = read(server) ?? tools;
      own.set(server, pinned);
      return pinned;
    },
    replace: (server, tools) => void own.set(server, mergePins(read(server) ?? [], tools)),
  };
}

/** Tools of a server with some of them replaced, or added, by their names. */
export function mergePins(
  pinned: readonly PinnedTool[],
  tools: readonly PinnedTool[],
): readonly PinnedTool[] {
  return [...new Map([...pinned, ...tools].map((tool) => [tool.tool, tool])).values()];
}
