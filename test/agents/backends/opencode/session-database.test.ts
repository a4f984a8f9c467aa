import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { createSessionDatabase } from "../../../../src/agents/backends/opencode/session-database.ts";

test("what a session used is the sum of all its answers, with what came from the cache [AGT-15]", () => {
  const { file } = createDatabase();
  expect(createSessionDatabase(file).usageOf("one")).toEqual({
    inputTokens: 1234,
    outputTokens: 57,
    cachedTokens: 1000,
    costUsd: 0.25,
  });
  expect(createSessionDatabase(file).usageOf("two")).toBeUndefined();
});

test("what a provider answered is read where it ended the last turn, and nowhere else [LOOP-5]", () => {
  const { file, addMessage } = createDatabase();
  const failureOf = () => createSessionDatabase(file).failureOf("one");
  expect(failureOf()).toBeUndefined();
  const overloaded = { statusCode: 429, responseHeaders: { "retry-after": "20" } };
  addMessage({ role: "assistant", error: { name: "APIError", data: overloaded } });
  expect(failureOf()).toEqual({ status: 429, retryAfterMs: 20_000 });
  addMessage({ role: "assistant", error: { name: "APIError", data: { statusCode: 401 } } });
  expect(failureOf()).toEqual({ status: 401 });
  for (const error of [undefined, "none", {}, { data: 7 }, { data: { statusCode: "500" } }]) {
    addMessage({ role: "assistant", error });
    expect(failureOf()).toBeUndefined();
  }
});

test("a database that is missing, damaged or made otherwise says nothing [AGT-6]", () => {
  const { directory, file, addMessage } = createDatabase();
  addMessage("no record");
  expect(createSessionDatabase(file).failureOf("one")).toBeUndefined();
  const garbage = join(directory, "garbage.db");
  writeFileSync(garbage, "no database");
  const other = join(directory, "other.db");
  const database = new DatabaseSync(other);
  database.exec("CREATE TABLE session (id TEXT)");
  database.close();
  for (const wrong of [garbage, other, join(directory, "missing.db")]) {
    expect(createSessionDatabase(wrong).usageOf("one")).toBeUndefined();
    expect(createSessionDatabase(wrong).failureOf("one")).toBeUndefined();
  }
});

/** A database as opencode 1.18.33 makes it, with a session; what nobody reads is left out. */
function createDatabase() {
  const directory = mkdtempSync(join(tmpdir(), "troupe-opencode-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "sessions.db");
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE session (id TEXT PRIMARY KEY, cost REAL, tokens_input INTEGER, tokens_output INTEGER,
      tokens_reasoning INTEGER, tokens_cache_read INTEGER, tokens_cache_write INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
    INSERT INTO session VALUES ('one', 0.25, 200, 50, 7, 1000, 34);`);
  let count = 0;
  const addMessage = (data: unknown) => {
    count += 1;
    const insert = database.prepare("INSERT INTO message VALUES (?, 'one', ?, ?)");
    insert.run(`message-${count}`, count, JSON.stringify(data));
  };
  return { directory, file, addMessage };
}
