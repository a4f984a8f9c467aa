import { expect, test } from "vitest";
import { findBreaches, type StrayFile } from "../../../src/agents/places/place-files.ts";

const at = (directory: string) => ({ directory, foldsCase: false });
const files = (...paths: readonly string[]): readonly StrayFile[] =>
  paths.map((path) => ({ path, leadsOut: false }));

test("what is not included, excluded or read-only is a breach, the strictest rule named [AGT-12]", () => {
  const constraints = {
    fileScope: { include: ["src/**"], exclude: ["**/*.test.ts"] },
    readOnly: ["src/api.ts"],
  };
  const changed = files("src/a.ts", "src/a.test.ts", "src/api.ts", "README.md");
  expect(findBreaches(changed, constraints, at(""))).toEqual([
    { rule: "exclude", path: "src/a.test.ts" },
    { rule: "readOnly", path: "src/api.ts" },
    { rule: "include", path: "README.md" },
  ]);
});

test("patterns count from the agent's directory; what lies outside of it is not included [AGT-12]", () => {
  const changed = files("app/src/a.ts", "app2/src/a.ts", "src/a.ts");
  const breaches = findBreaches(changed, { fileScope: { include: ["src/**"] } }, at("app"));
  expect(breaches.map(({ path }) => path)).toEqual(["app2/src/a.ts", "src/a.ts"]);
  expect(findBreaches(changed, { readOnly: ["src/**"] }, at("app"))).toEqual([
    { rule: "readOnly", path: "app/src/a.ts" },
  ]);
});

test("an empty list of files to change allows none, and a link that leads out is a breach [AGT-12, T8]", () => {
  expect(findBreaches(files("a"), { fileScope: { include: [] } }, at(""))).toHaveLength(1);
  const link = [{ path: "src/link", leadsOut: true }];
  expect(findBreaches(link, { fileScope: { include: ["src/**"] } }, at(""))).toEqual([
    { rule: "link", path: "src/link" },
  ]);
});
