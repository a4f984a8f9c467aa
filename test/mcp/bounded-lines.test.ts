import { expect, test } from "vitest";
import { createBoundedLines, type LongLine } from "../../src/mcp/mcp-endpoint.ts";

const LIMIT = 64;
const long = "x".repeat(LIMIT);

/** What came through and what was left out, when the text arrives in chunks of a size. */
async function passed(text: string, chunkBytes: number) {
  const tooLong: LongLine[] = [];
  const lines = createBoundedLines(LIMIT, (line) => tooLong.push(line));
  const through: string[] = [];
  lines.on("data", (chunk: Buffer) => through.push(chunk.toString("utf8")));
  const ended = new Promise((resolve) => lines.on("end", resolve));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes)
    lines.write(bytes.subarray(at, at + chunkBytes));
  lines.end();
  await ended;
  return { through, tooLong };
}

const ids: readonly (readonly [string, string | number | undefined])[] = [
  [`{"id":7,"params":{"text":"${long}","id":8}}`, 7],
  [`{"params":{"text":"${long}","id":8},"jsonrpc":"2.0", "id" : "a\\"b,ü" }`, 'a"b,ü'],
  [`{"params":["${long}\\\\",{"id":1}],"text":"\\"id\\":2,","id":3}`, 3],
  [`{"method":"notifications/x","params":{"id":1,"text":"${long}"}}`, undefined],
  [`{"id":null,"text":"${long}"}`, undefined],
  [`{"id":"${"y".repeat(300)}","text":"${long}"}`, undefined],
  [`[{"id":1,"text":"${long}"}]`, undefined],
  [long, undefined],
];

test.each(ids)("a line over the limit is left out, and its id is told: %s", async (line, id) => {
  const sizeBytes = Buffer.byteLength(line) + 1;
  const text = `{"id":1}\n${line}\n\n{"id":2}\n`;
  for (const chunkBytes of [1, 7, 1000])
    expect(await passed(text, chunkBytes)).toEqual({
      through: ['{"id":1}\n', "\n", '{"id":2}\n'],
      tooLong: [{ sizeBytes, id }],
    });
});

test("a line as long as the limit comes through whole", async () => {
  const line = `${"ü".repeat((LIMIT - 2) / 2)}x\n`;
  expect(await passed(line + line, 5)).toEqual({ through: [line, line], tooLong: [] });
});
