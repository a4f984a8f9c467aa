import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRecord } from "../../src/foundation/json.ts";
import { root } from "./pages.ts";

// What guides leave to the reference, and why.
const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  ["$schema", "editors write it"],
  ["restate", "not in this version; the configuration says so when it is used"],
  ["isError", "one of the actions of cassettes, whose reference has them all"],
  ["onDeny", "one of the actions of cassettes, whose reference has them all"],
  ["chunk", "one of the actions of cassettes, whose reference has them all"],
  ["sessionLost", "one of the failures of cassettes, whose reference has them all"],
]);

test.for(["workflow", "config", "test"])(
  "every option of the schema %s is named in a guide, or it is said why not",
  (name) => {
    const schema: unknown = JSON.parse(
      readFileSync(join(root, "schemas", `${name}.schema.json`), "utf8"),
    );
    const guides = ["README.md", ...globSync("docs/guides/**/*.md", { cwd: root })];
    const words = new Set(
      guides.flatMap((page) => readFileSync(join(root, page), "utf8").match(/[\w$-]+/g) ?? []),
    );
    const keys = new Set(keysIn(schema));
    const unknown = [...keys].filter((key) => !words.has(key) && !words.has(camelCased(key)));
    expect(unknown.filter((key) => !LEFT_OUT.has(key))).toEqual([]);
  },
);

test("nothing is left to the reference that a guide has, or no schema", () => {
  const texts = globSync("schemas/*.json", { cwd: root }).map((file) =>
    readFileSync(join(root, file), "utf8"),
  );
  for (const key of LEFT_OUT.keys())
    expect(texts.some((text) => text.includes(`"${key}"`))).toBe(true);
});

/** Names of all properties that a JSON schema has anywhere. */
function keysIn(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(keysIn);
  if (!isRecord(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "properties" && isRecord(value)
      ? Object.entries(value).flatMap(([name, member]) => [name, ...keysIn(member)])
      : keysIn(value),
  );
}

/** Step workflows write in snake_case what the others write so. */
function camelCased(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
