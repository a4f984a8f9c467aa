import type { ActionOf } from "../command/command.ts";
import { contextUnreachable } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import type { mcpCommand } from "../commands/mcp.ts";
import { connectLines, findDoor, placeText } from "../context/agent-door.ts";

/** `troupe mcp`: standard output carries the protocol and nothing else. Ends with standard input. */
export const mcpAction: ActionOf<typeof mcpCommand> = async ({ options, io }) => {
  const door = findDoor("mcp", options.agent, io);
  const place = placeText(door);
  const stream = await connectLines(door);
  let isOver = false;
  const end = () => {
    isOver = true;
    stream.end();
  };
  // Bytes, not lines: texts may hold characters that some take for the end of a line.
  const endReading = io.stdin.readBytes((bytes) => void stream.write(bytes), end);
  const endListening = io.stdout.onClosed(end);
  try {
    for await (const text of stream.setEncoding("utf8")) io.stdout.write(String(text));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw contextUnreachable({ place, problem }, { cause: error });
  } finally {
    endReading();
    endListening();
  }
  if (!isOver) throw contextUnreachable({ place, problem: "it hung up" });
  return EXIT.completed;
};
