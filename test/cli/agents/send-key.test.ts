import { expect, test } from "vitest";
import { call } from "../fake-io.ts";
import { startChat } from "./chat-run.ts";

test("a key that is used again for the same message is that message, for another one an error, never a silence [MSG-3]", async () => {
  const { cwd } = await startChat([]);
  const send = (...args: readonly string[]) =>
    call(cwd, ["send", ...args, "--key", "k1", "--json"]);
  const first = JSON.parse((await send("hello", "--to", "gate")).out);
  expect(JSON.parse((await send("hello", "--to", "gate")).out).id).toBe(first.id);
  for (const other of [
    ["good bye", "--to", "gate"],
    ["hello", "--to", "helper"],
  ]) {
    const { exitCode, out } = await send(...other);
    expect([exitCode, JSON.parse(out).error.code]).toEqual([1, "MESSAGE_KEY_REUSED"]);
  }
});
