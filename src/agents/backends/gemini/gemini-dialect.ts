import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Usage } from "../../../contracts/usage.ts";
import { isRecord } from "../../../foundation/json.ts";
import type { AcpDialect } from "../parts/acp/acp-launch.ts";

const ID_CHARS = 8;

/** How Gemini speaks the protocol; `home` holds its `.gemini`. */
export function geminiDialect(home: string): AcpDialect {
  return {
    // Ids of calls begin with the name of the tool, which is told nowhere else.
    toolName: ({ id }) => /^([A-Za-z][\w-]*?)__/.exec(id)?.[1],
    usageOf,
    beforeLoad: (session) => keepTranscript(home, session),
  };
}

function usageOf({ _meta: meta }: { readonly [name: string]: unknown }): Usage {
  const quota = isRecord(meta) ? meta["quota"] : undefined;
  const counts = isRecord(quota) ? quota["token_count"] : undefined;
  if (!isRecord(counts)) return {};
  const { input_tokens: inputTokens, output_tokens: outputTokens } = counts;
  return {
    ...(typeof inputTokens === "number" ? { inputTokens } : {}),
    ...(typeof outputTokens === "number" ? { outputTokens } : {}),
  };
}

/**
 * Gives a session's transcript another name. Its own one has the minute in which it began: Gemini that goes
 * on with the session in the same minute begins it anew, and so forgets it.
 */
async function keepTranscript(home: string, session: string): Promise<void> {
  const projects = join(home, ".gemini", "tmp");
  const own = `-${session.slice(0, ID_CHARS)}.jsonl`;
  for (const project of await namesIn(projects)) {
    const chats = join(projects, project, "chats");
    const names = (await namesIn(chats)).filter(
      (name) => name.endsWith(own) && !name.startsWith("session-kept-"),
    );
    for (const [index, name] of names.entries())
      await rename(join(chats, name), join(chats, `session-kept-${index}${own}`));
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch {
    // Where nothing was kept there is nothing to rename.
    return [];
  }
}
