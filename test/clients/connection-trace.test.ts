import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject } from "../e2e/troupe-process.ts";
import { has } from "../machine.ts";
import { traceConnections } from "./connection-trace.ts";

// Port 9 is closed: whether anybody answers makes no difference.
const connect = (host: string) => `require("node:net").connect(9, "${host}").on("error", () => {})`;
const parent = `${connect("127.0.0.1")}; require("node:child_process").spawnSync(process.execPath, ["-e", ${JSON.stringify(connect("::1"))}])`;

test.runIf(has("strace"))(
  "strace shows what a program and its children connect to, else clients run unwatched",
  () => {
    const trace = traceConnections(join(createProject(), "connections.txt"));
    const [program = "", ...args] = [...trace.prefix, process.execPath, "-e", parent];
    expect(spawnSync(program, args, { stdio: "ignore" }).status).toBe(0);
    expect(trace.addresses()).toEqual(["127.0.0.1:9", "::1:9"]);
  },
);
