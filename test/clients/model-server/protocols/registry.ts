import type { ModelProtocol } from "../protocol.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { gemini } from "./gemini.ts";
import { openAiChat } from "./openai-chat.ts";
import { openAiResponses } from "./openai-responses.ts";

/** All protocols that the scripted model speaks. */
export const modelProtocols: readonly ModelProtocol[] = [
  anthropicMessages,
  openAiResponses,
  openAiChat,
  gemini,
];
