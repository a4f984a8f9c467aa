import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createHttpDesk } from "../../src/mcp/http-desk.ts";
import { staticImports } from "../cli/static-imports.ts";
import { createDirectory, goodHeaders, openDoor, send } from "./door.ts";

const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);

test.each([0o000, 0o022, 0o777])(
  "with umask %i the socket and its directory are open to their owner alone [MCP-2, T2]",
  async (umask) => {
    const { letIn, socketPath } = openDoor();
    const before = process.umask(umask);
    try {
      await letIn("ada");
    } finally {
      process.umask(before);
    }
    expect([modeOf(dirname(socketPath)), modeOf(socketPath)]).toEqual(["700", "600"]);
  },
);

test("a run whose agents may come in loads neither HTTP nor MCP before one does [MCP-2, PERF-12]", () => {
  const loaded = staticImports(join(process.cwd(), "src/mcp/context-server.ts"));
  const packages = [...loaded].filter((name) => !name.startsWith("/"));
  expect(packages.sort()).toEqual(["node:crypto", "node:fs", "node:net", "node:path"]);
});

test("nothing listens and no file is there before the first agent is let in, nor after the end [MCP-2]", async () => {
  const { letIn, server, socketPath } = openDoor();
  expect(existsSync(dirname(socketPath))).toBe(false);
  const ada = await letIn("ada");
  const { port } = new URL(ada.url ?? "");
  expect(statSync(socketPath).isSocket()).toBe(true);
  await server.close();
  await server.close();
  expect(readdirSync(dirname(socketPath))).toEqual([]);
  await expect(send(ada, "port", {})).rejects.toThrow("ECONNREFUSED");
  expect(Number(port)).toBeGreaterThan(0);
  await expect(letIn("bob")).rejects.toMatchObject({ code: "MCP_SOCKET_UNUSABLE" });
});

const squatted = {
  "a directory that others may enter": (place: string) => {
    mkdirSync(place);
    chmodSync(place, 0o750);
  },
  "a link to a directory": (place: string) => {
    mkdirSync(`${place}-real`, { mode: 0o700 });
    symlinkSync(`${place}-real`, place);
  },
  "a file": (place: string) => writeFileSync(place, ""),
};

test.each(Object.entries(squatted))(
  "%s in the place of the private directory is refused [T2]",
  async (_name, squat) => {
    const directory = createDirectory();
    squat(join(directory, "run"));
    await expect(openDoor(directory).letIn("ada")).rejects.toMatchObject({
      code: "MCP_SOCKET_UNUSABLE",
      message: expect.stringContaining(join(directory, "run")),
    });
  },
);

test("a path that the system would cut is refused with what to do [T2]", async () => {
  const long = join(createDirectory(), "x".repeat(100));
  const error = openDoor(long).letIn("ada");
  await expect(error).rejects.toMatchObject({
    code: "MCP_SOCKET_UNUSABLE",
    message: expect.stringContaining("longer than 100 bytes"),
    hint: expect.stringContaining("XDG_RUNTIME_DIR"),
  });
  expect(existsSync(long)).toBe(false);
});

test("a socket that a dead owner left is replaced [T2]", async () => {
  const { letIn, socketPath } = openDoor();
  mkdirSync(dirname(socketPath), { mode: 0o700 });
  writeFileSync(socketPath, "");
  const ada = await letIn("ada");
  const headers = goodHeaders(ada);
  const answer = await send(ada, "socket", { path: "/tools/agents_list", headers, body: "{}" });
  expect(answer.status).toBe(200);
});

test("every session gets a token of its own, of 256 bits [MCP-3]", async () => {
  const { letIn } = openDoor();
  const accesses = await Promise.all(Array.from({ length: 50 }, () => letIn("ada")));
  const tokens = new Set(accesses.map(({ token }) => token));
  expect(tokens.size).toBe(50);
  for (const token of tokens) expect(token).toMatch(/^tcx_[\w-]{43}$/);
});

test("whoever does not finish a request is hung up on [T1]", async () => {
  const patience = { headersMs: 20, requestMs: 20, idleMs: 20, checkMs: 5 };
  const desk = createHttpDesk(
    {
      guests: { find: () => undefined },
      connections: { serve: () => () => {} },
      onRefused: () => {},
    },
    patience,
  );
  const server = createServer({ pauseOnConnect: true }, (socket) => desk.serve(socket));
  const path = join(createDirectory(), "s");
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(async () => {
    await desk.close();
    server.close();
  });
  for (const begun of ["", "POST /mcp HTTP/1.1\r\nHost: local"]) {
    const client = connect(path);
    client.write(begun);
    let text = "";
    for await (const chunk of client) text += String(chunk);
    expect(text).toContain("408 Request Timeout");
  }
});

test("the end of a session ends what its clients have open, and no other's [MCP-3]", async () => {
  const { letIn } = openDoor();
  const [ada, bob] = [await letIn("ada"), await letIn("bob")];
  const made = { path: "/tools/agents_list", body: "{}" };
  await ada.close();
  await ada.close();
  expect(await send(ada, "port", { ...made, headers: goodHeaders(ada) })).toMatchObject({
    status: 401,
  });
  expect(await send(bob, "port", { ...made, headers: goodHeaders(bob) })).toMatchObject({
    status: 200,
  });
});
