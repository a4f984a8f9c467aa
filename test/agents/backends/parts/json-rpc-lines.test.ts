import { expect, test } from "vitest";
import { createJsonRpcPeer } from "../../../../src/agents/backends/parts/json-rpc-lines.ts";

function startedPeer() {
  const sent: unknown[] = [];
  const notified: string[] = [];
  const peer = createJsonRpcPeer({
    send: (line) => sent.push(JSON.parse(line)),
    onRequest: async ({ method, params }) => (method === "known" ? { params } : undefined),
    onNotification: (line) => notified.push(line),
  });
  return { peer, sent, notified };
}

test("calls get their own answers, errors too, in any order [AGT-2]", async () => {
  const { peer, sent } = startedPeer();
  const calls = [peer.call("first", { one: 1 }), peer.call("second", null)];
  peer.take('{"id":2,"error":{"code":-1,"message":"no"}}');
  peer.take('{"id":1,"result":{"fine":true}}');
  expect(await Promise.all(calls)).toEqual([
    { ok: true, result: { fine: true } },
    { ok: false, code: -1, message: "no" },
  ]);
  expect(sent).toEqual([
    { id: 1, method: "first", params: { one: 1 } },
    { id: 2, method: "second", params: null },
  ]);
});

test("a request of the other side is answered, an unknown one with an error [AGT-2]", async () => {
  const { peer, sent } = startedPeer();
  peer.take('{"id":"a","method":"known","params":7}');
  peer.take('{"id":0,"method":"unheard/of"}');
  await Promise.resolve();
  await Promise.resolve();
  expect(sent).toEqual([
    { id: "a", result: { params: 7 } },
    { id: 0, error: { code: -32601, message: "troupe does not know unheard/of" } },
  ]);
});

test("what is no message is passed over, and notifications are handed on whole [AGT-6]", () => {
  const { peer, sent, notified } = startedPeer();
  for (const line of ["", "no json", "[]", "7", '{"id":9,"result":1}', '{"id":null}'])
    peer.take(line);
  peer.take('{"method":"told","params":{}}');
  expect({ sent, notified }).toEqual({ sent: [], notified: ['{"method":"told","params":{}}'] });
});

test("the end of the conversation ends every call, later ones too [AGT-7.crash]", async () => {
  const { peer } = startedPeer();
  const open = peer.call("first", {});
  peer.end(new Error("gone"));
  await expect(open).rejects.toThrow("gone");
  await expect(peer.call("second", {})).rejects.toThrow("gone");
});
