import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createProject } from "../e2e/troupe-process.ts";
import { installClient } from "./install-client.ts";
import type { PinnedClient } from "./pinned-clients.ts";

const client: PinnedClient = {
  name: "claude",
  package: "some-client",
  version: "1.2.3",
  findProgram: (modules) => {
    const program = join(modules, "client");
    return existsSync(program) ? [program] : undefined;
  },
};

/** Puts a program called `npm` before the real one; it runs in the folder that it installs into. */
function standInForNpm(root: string, script: string): void {
  const bin = join(root, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "npm"), `#!/bin/sh\necho ran >> '${root}/runs.txt'\n${script}\n`);
  chmodSync(join(bin, "npm"), 0o755);
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

function installing(version: string): string {
  const program = `#!/bin/sh\\necho client ${version}`;
  return `mkdir node_modules; printf '${program}' > node_modules/client; chmod +x node_modules/client`;
}

test("a client is installed once, and found from then on", async () => {
  const root = createProject();
  const folder = join(root, "clients");
  standInForNpm(root, installing("1.2.3"));
  const home = join(folder, "claude-1.2.3");
  const installed = { status: "installed", program: [join(home, "node_modules/client")] };
  expect(await installClient(client, folder)).toEqual(installed);
  expect(await installClient(client, folder)).toEqual(installed);
  expect(readFileSync(join(root, "runs.txt"), "utf8")).toBe("ran\n");
  expect(readFileSync(join(home, "package.json"), "utf8")).toContain('"some-client":"1.2.3"');
});

test("two that install at once get the same complete client", async () => {
  const root = createProject();
  const folder = join(root, "clients");
  standInForNpm(root, installing("1.2.3"));
  const states = await Promise.all([installClient(client, folder), installClient(client, folder)]);
  expect(states.map(({ status }) => status)).toEqual(["installed", "installed"]);
  expect(readdirSync(folder)).toEqual(["claude-1.2.3"]);
});

test.each([
  ["npm fails", "echo no registry >&2; exit 1", "no registry"],
  [
    "the program says another version",
    installing("1.2.4"),
    "its program says version client 1.2.4",
  ],
  ["there is no program", "mkdir node_modules", "no program for"],
])("a client is missing with the reason, and leaves nothing, when %s", async (_, npm, reason) => {
  const root = createProject();
  const folder = join(root, "clients");
  standInForNpm(root, npm);
  const state = await installClient(client, folder);
  expect(state).toEqual({ status: "missing", reason: expect.stringContaining(reason) });
  expect(state).toEqual({ status: "missing", reason: expect.stringMatching(/^claude 1\.2\.3: /) });
  expect(readdirSync(folder)).toEqual([]);
});
