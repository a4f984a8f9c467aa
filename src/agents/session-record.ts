import { z } from "zod";
import type { AgentSpec } from "../contracts/agent.ts";
import type { SessionRecord } from "../contracts/session-record.ts";
import { toUsage, type Usage } from "../contracts/usage.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { findAgent } from "../fold/state/agent-lookup.ts";
import type { Json } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { recordLost } from "./errors.ts";

/** The session that writes itself down. */
export interface RecordedSession {
  readonly runtime: Pick<RunRuntime, "state" | "append" | "keepText" | "textOf" | "flushed">;
  readonly spec: AgentSpec;
  /** Name of the session. */
  readonly session: string;
  /** The last entry that is there already; undefined for a session that begins. */
  readonly last: string | undefined;
  /** Adds what tokens cost, if a price is known. */
  readonly priced: (usage: Usage) => Usage;
}

/** What an agent may keep of what its tools returned, beside what it was shown: a journal has to stay small. */
const MAX_REST_BYTES = 32 * 1024 * 1024;

const linkSchema = z.object({ before: z.string().exactOptional(), entry: z.json() });

/**
 * The record of a session, in the journal. Each entry is a text that names the one before it, so that what is kept in
 * memory is the last name alone. `read` raises AGENT_RECORD_LOST.
 */
export function createSessionRecord(recorded: RecordedSession): SessionRecord {
  const { runtime, spec, session, priced } = recorded;
  let { last } = recorded;
  return {
    read: (isStart) => {
      const entries: Json[] = [];
      for (let ref = last; ref !== undefined; ) {
        const text = runtime.textOf(ref);
        const link = text === undefined ? undefined : readLink(text);
        if (link === undefined) throw recordLost({ agent: spec.id, session, ref });
        entries.push(link.entry);
        if (isStart(link.entry)) break;
        ref = link.before;
      }
      return entries.reverse();
    },
    keepRest: (given) => {
      const sizeBytes = Buffer.byteLength(given);
      const { restBytes = 0 } = findAgent(runtime.state, spec.id) ?? {};
      if (restBytes + sizeBytes > MAX_REST_BYTES) return undefined;
      return { ...runtime.keepText(given), sizeBytes };
    },
    flushed: () => runtime.flushed(),
    keep: (turn, fact, entry) => {
      const text = JSON.stringify(last === undefined ? { entry } : { before: last, entry });
      const kept = runtime.keepText(text);
      last = kept.ref;
      const usage = fact.type === "model-called" ? fact.usage : undefined;
      runtime.append({
        ...fact,
        ...present({ usage: usage && priced(toUsage(usage)) }),
        agent: spec.id,
        turn,
        session,
        ref: kept.ref,
      });
      if (kept.text === text) return entry;
      // Masking may have put stars where no text is: what cannot be read back is not gone on with.
      const link = readLink(kept.text);
      if (link === undefined) throw recordLost({ agent: spec.id, session, ref: kept.ref });
      return link.entry;
    },
  };
}

function readLink(text: string): z.infer<typeof linkSchema> | undefined {
  try {
    return linkSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
