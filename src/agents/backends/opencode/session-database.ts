import type { DatabaseSync } from "node:sqlite";
import type { Usage } from "../../../contracts/usage.ts";
import { isRecord } from "../../../foundation/json.ts";
import { readDelayMs } from "../../../foundation/outside-number.ts";
import { openSqlite } from "../../../foundation/sqlite.ts";
import type { ProviderAnswer } from "../parts/acp/acp-launch.ts";

/** What opencode keeps of the sessions of an agent, and tells nobody. Undefined: it keeps it otherwise. */
export interface SessionDatabase {
  /** What a session has used since it began; a cost of zero is that of a model without a known price. */
  usageOf(session: string): Usage | undefined;
  /** What the provider answered, if that ended the last turn of a session. */
  failureOf(session: string): ProviderAnswer | undefined;
}

type Row = { readonly [name: string]: unknown };

// opencode writes at the same time; waiting for it stops all else here.
const BUSY_TIMEOUT_MS = 20;
const SELECT_TOTALS = `
  SELECT tokens_input + tokens_cache_read + tokens_cache_write AS inputTokens,
    tokens_output + tokens_reasoning AS outputTokens, tokens_cache_read AS cachedTokens, cost AS costUsd
  FROM session WHERE id = ?`;
const SELECT_LAST_MESSAGE = `
  SELECT data FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT 1`;

/** Reads a database that opencode may be writing, or has yet to make. */
export function createSessionDatabase(file: string): SessionDatabase {
  return {
    usageOf: (session) => {
      const row = readRow(file, SELECT_TOTALS, session);
      return row === undefined ? undefined : toUsage(row);
    },
    failureOf: (session) => {
      const data = readRow(file, SELECT_LAST_MESSAGE, session)?.["data"];
      const error = typeof data === "string" ? recordIn(parseRecord(data), "error") : undefined;
      return error === undefined ? undefined : toAnswer(recordIn(error, "data"));
    },
  };
}

function readRow(file: string, query: string, session: string): Row | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = openSqlite(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    return database.prepare(query).get(session);
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}

function toUsage({ inputTokens, outputTokens, cachedTokens, costUsd }: Row): Usage | undefined {
  if (typeof inputTokens !== "number" || typeof outputTokens !== "number") return undefined;
  return {
    inputTokens,
    outputTokens,
    ...(typeof cachedTokens === "number" ? { cachedTokens } : {}),
    ...(typeof costUsd === "number" ? { costUsd } : {}),
  };
}

function toAnswer(data: Row | undefined): ProviderAnswer | undefined {
  const status = data?.["statusCode"];
  if (typeof status !== "number") return undefined;
  const seconds = Number(recordIn(data, "responseHeaders")?.["retry-after"]);
  const retryAfterMs = readDelayMs(seconds * 1000) ?? 0;
  return { status, ...(retryAfterMs > 0 ? { retryAfterMs } : {}) };
}

function recordIn(record: Row | undefined, name: string): Row | undefined {
  const value = record?.[name];
  return isRecord(value) ? value : undefined;
}

function parseRecord(text: string): Row | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
