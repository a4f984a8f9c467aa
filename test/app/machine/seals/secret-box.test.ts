import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createSecretBox } from "../../../../src/app/machine/seals/secret-box.ts";

const key = randomBytes(32);

test("a token is opened under its own name with its own key only, and no bit of it may change [AGT-11.literals, T11]", () => {
  const box = createSecretBox(key);
  const token = box.seal("TOKEN", "geheim ✓");
  expect(token).toMatch(/^troupe-sealed-[A-Za-z0-9_-]+$/);
  expect(createSecretBox(key).open("TOKEN", token)).toBe("geheim ✓");
  expect(box.open("OTHER", token)).toBeUndefined();
  expect(createSecretBox(randomBytes(32)).open("TOKEN", token)).toBeUndefined();
  for (let at = 14; at < token.length; at += 1) {
    const changed = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
    const opened = box.open("TOKEN", changed);
    // The last character may carry bits that count for nothing.
    if (at < token.length - 1) expect(opened).toBeUndefined();
  }
  for (const broken of ["troupe-sealed-", "troupe-sealed-AAAA", `${token}AAAA`])
    expect(box.open("TOKEN", broken)).toBeUndefined();
});

test("the same value under the same name is the same token, and no other is", () => {
  const box = createSecretBox(key);
  expect(box.seal("A", "value")).toBe(createSecretBox(key).seal("A", "value"));
  expect(new Set([box.seal("A", "x"), box.seal("A", "y"), box.seal("B", "x")]).size).toBe(3);
});
