import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allowedEnvironment, secretValues } from "../../src/host/environment.ts";
import { findProgram } from "../../src/host/system/find-program.ts";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "troupe-path-"));
  for (const directory of ["bin", "project/node_modules/.bin", "project/here"]) {
    mkdirSync(join(root, directory), { recursive: true });
    writeFileSync(join(root, directory, "tool"), "#!/bin/sh\n", { mode: 0o755 });
  }
  writeFileSync(join(root, "bin", "data"), "no program");
});
afterAll(() => rmSync(root, { recursive: true }));

test("an agent sees the harmless variables, those allowed by name and those given, nothing else [AGT-11, T11]", () => {
  const source = {
    PATH: "/project/node_modules/.bin:/usr/bin",
    HOME: "/home/me",
    LC_TIME: "C",
    SSH_AUTH_SOCK: "/run/agent",
    AWS_SECRET_ACCESS_KEY: "secret",
    NODE_OPTIONS: "--require ./evil.js",
    TROUPE_TOKEN: "of an outer run",
    TROUPE_MARK: "abc",
    EMPTY: undefined,
  };
  expect(
    allowedEnvironment(source, ["SSH_AUTH_SOCK", "TROUPE_TOKEN"], { HOME: "/tmp", X: "1" }),
  ).toEqual({
    PATH: "/project/node_modules/.bin:/usr/bin",
    HOME: "/tmp",
    LC_TIME: "C",
    SSH_AUTH_SOCK: "/run/agent",
    X: "1",
  });
});

test("secrets are the values of variables whose names say so, and of those that are named [AGT-11]", () => {
  const source = { MY_API_KEY: "k", github_token: "t", DB_PASSWORD: "p", PLAIN: "x", NAMED: "n" };
  expect(secretValues(source, ["NAMED"])).toEqual(["k", "t", "p", "n"]);
});

test("of an address the password is a secret, whatever the variable is called [AGT-11, T11]", () => {
  const source = {
    DATABASE_URL: "postgres://ann:pa%40ss-word@db.example:5432/shop",
    HTTPS_PROXY: "http://ann:plain@odd@proxy:8080",
    HOMEPAGE: "https://example.org/a:b@c",
    TWO: "redis://:first-one@a/0,redis://:second-one@b/0",
  };
  expect(secretValues(source, [])).toEqual([
    ...["pa%40ss-word", "pa@ss-word", "plain@odd", "first-one", "second-one"],
  ]);
});

test("a bare name is looked up in absolute directories of PATH only, and never among packages", () => {
  const cwd = join(root, "project");
  const path = ["", ".", "here", join(cwd, "node_modules/.bin"), join(cwd, "node_modules/.bin/")];
  expect(findProgram("tool", { PATH: path.join(":") }, cwd)).toBeUndefined();
  const env = { PATH: [...path, join(root, "bin")].join(":") };
  expect(findProgram("tool", env, cwd)).toBe(join(root, "bin", "tool"));
});

test("a program written as a path counts from the working directory", () => {
  const cwd = join(root, "project");
  expect(findProgram("./here/tool", {}, cwd)).toBe(join(cwd, "here/tool"));
  expect(findProgram("node_modules/.bin/tool", {}, cwd)).toBe(join(cwd, "node_modules/.bin/tool"));
});

test("what may not be executed, a directory and an empty name are no programs", () => {
  const env = { PATH: join(root, "bin") };
  expect(findProgram("data", env, root)).toBeUndefined();
  expect(findProgram("./bin", env, root)).toBeUndefined();
  expect(findProgram("", env, root)).toBeUndefined();
});
