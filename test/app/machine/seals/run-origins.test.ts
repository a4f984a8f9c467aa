import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRunOrigins } from "../../../../src/app/machine/seals/run-origins.ts";
import { temporaryDirectory } from "../../../programs/temporary-directory.ts";

const HASH = "a".repeat(64);

test("a key is made once, private, and knows its seals again [SEC-2.sealed]", () => {
  const directory = join(temporaryDirectory(), "state");
  const [first, second] = [createRunOrigins(directory), createRunOrigins(directory)];
  expect(first.isSigned("run_a", HASH, "00")).toBe(false);
  expect(first.fingerprint()).toBe(undefined);
  const seal = first.sign("run_a", HASH) ?? "";
  expect(second.isSigned("run_a", HASH, seal)).toBe(true);
  expect(second.fingerprint()).toBe(first.fingerprint());
  expect(statSync(join(directory, "key")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(directory, "key"))).toHaveLength(32);
});

test.each([
  ["another run", "run_b", HASH],
  ["another beginning", "run_a", "b".repeat(64)],
  ["parts that run together otherwise", "run_a\na", HASH.slice(1)],
])("a seal is not good for %s [SEC-2.sealed]", (_what, run, hash) => {
  const origins = createRunOrigins(temporaryDirectory());
  expect(origins.isSigned(run, hash, origins.sign("run_a", HASH) ?? "")).toBe(false);
});

test.each([
  ["that others may read it and write to it", (file: string) => chmodSync(file, 0o666)],
  ["that it has another length", (file: string) => writeFileSync(file, "short")],
])("a key is refused, never replaced, when it is found %s [SEC-2.sealed]", (_what, spoil) => {
  const directory = temporaryDirectory();
  createRunOrigins(directory).sign("run_a", HASH);
  spoil(join(directory, "key"));
  const before = readFileSync(join(directory, "key"));
  const origins = createRunOrigins(directory);
  expect(() => origins.sign("run_a", HASH)).toThrow(/cannot be used/);
  expect(() => origins.isSigned("run_a", HASH, "00")).toThrow(/cannot be used/);
  expect(readFileSync(join(directory, "key")).equals(before)).toBe(true);
});

test("a link in the place of the key is refused [SEC-2.sealed]", () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "bait"), Buffer.alloc(32), { mode: 0o600 });
  symlinkSync(join(directory, "bait"), join(directory, "key"));
  expect(() => createRunOrigins(directory).sign("run_a", HASH)).toThrow(/not a plain file/);
});

test("where no key can be kept nothing is sealed, and nothing is a fault [SEC-2.sealed]", () => {
  const origins = createRunOrigins("/sys/kernel/nobody");
  expect(origins.sign("run_a", HASH)).toBe(undefined);
  expect(origins.isSigned("run_a", HASH, "00")).toBe(false);
});
