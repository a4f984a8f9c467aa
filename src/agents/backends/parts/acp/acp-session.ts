import type { AgentSession } from "../../../../contracts/backend.ts";
import { TurnGate } from "../turn-gate.ts";
import { AcpConversation, type ConversationOptions } from "./conversation.ts";

/** A session of a program that speaks the Agent Client Protocol. Raises BACKEND_* and HOST_* errors. */
export async function openAcpSession(options: ConversationOptions): Promise<AgentSession> {
  const { request, launch } = options;
  const conversation = new AcpConversation(options);
  try {
    await conversation.connect();
  } catch (error) {
    await launch.dispose();
    throw error;
  }
  const gate = new TurnGate({ agent: request.spec.id, session: request.session });
  const { resume } = conversation;
  return {
    ...(resume === undefined ? {} : { resume }),
    prompt: (turn) => gate.run(turn, (work) => conversation.turn(work)),
    close: async () => {
      await gate.close();
      await conversation.end();
      await launch.dispose();
    },
  };
}
