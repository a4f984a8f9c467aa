import { DatabaseSync } from "node:sqlite";

/**
 * Makes the row that holds an event one that does not match its hash; all rows before it stay as they are. Returns the
 * last event of those.
 */
export function damageEvent(file: string, seq: number): number {
  const db = new DatabaseSync(file);
  db.prepare(
    "UPDATE batches SET body = '[]' WHERE seq = (SELECT min(seq) FROM batches WHERE seq >= ?)",
  ).run(seq);
  const { intact } =
    db.prepare("SELECT max(seq) AS intact FROM batches WHERE seq < ?").get(seq) ?? {};
  db.close();
  return Number(intact ?? 0);
}
