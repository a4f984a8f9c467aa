import { execFile } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { listTrusted, trustFilePath } from "../../../../src/app/machine/trust/trust-store.ts";
import { createConfigProject } from "../config/config-project.ts";

test("the list is private, and several processes can add to it at once [SEC-1]", async () => {
  const project = createConfigProject();
  const directories = ["a", "b", "c", "d"].map((name) => join(project.root, name));
  for (const directory of directories) mkdirSync(directory);
  const program = fileURLToPath(new URL("./trust-adder-program.ts", import.meta.url));
  const adders = directories.map((directory) =>
    promisify(execFile)(process.execPath, [program, directory, project.home]),
  );
  await Promise.all(adders);
  const env = { ...project.env, TROUPE_HOME: project.home };
  expect(listTrusted(env).map(({ directory }) => directory)).toEqual(directories);
  expect(statSync(trustFilePath(env)).mode & 0o777).toBe(0o600);
  expect(statSync(project.home).mode & 0o777).toBe(0o700);
});
