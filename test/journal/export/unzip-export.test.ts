import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { unzipExport } from "../../../src/journal/export/unzip-export.ts";

const TEXT = "a line of an export\n".repeat(500);

/** The bytes in pieces, and how often they were let go of. */
function piecesOf(bytes: Uint8Array, sizeBytes: number) {
  const closed: string[] = [];
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      for (let start = 0; start < bytes.length; start += sizeBytes)
        yield bytes.subarray(start, start + sizeBytes);
    } finally {
      closed.push("closed");
    }
  }
  return { bytes: pieces(), closed };
}

async function unzip(name: string, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const taken: Uint8Array[] = [];
  await unzipExport({ name, bytes }, (chunk) => void taken.push(chunk));
  return Buffer.concat(taken).toString();
}

test.each([
  ["as it is", Buffer.from(TEXT)],
  ["compressed", gzipSync(TEXT)],
])("an export %s comes out whole, and its source is let go of", async (_what, bytes) => {
  for (const sizeBytes of [bytes.length, 50]) {
    const source = piecesOf(bytes, sizeBytes);
    expect(await unzip("x", source.bytes)).toBe(TEXT);
    expect(source.closed).toEqual(["closed"]);
  }
});

test("no bytes are none", async () => {
  expect(await unzip("x", piecesOf(new Uint8Array(), 1).bytes)).toBe("");
});

test.each([
  ["the first byte", [0x1f, 0x20]],
  ["the second byte", [0x20, 0x8b]],
])("text that shares %s with a compressed export is text", async (_what, bytes) => {
  const text = Buffer.from(bytes);
  expect(await unzip("x", piecesOf(text, 2).bytes)).toBe(text.toString());
});

test("a source that cannot be let go of is read to its end", async () => {
  const pieces = piecesOf(Buffer.from(TEXT), 50).bytes;
  const bytes = { [Symbol.asyncIterator]: () => ({ next: () => pieces.next() }) };
  expect(await unzip("x", bytes)).toBe(TEXT);
});

test("what cannot be decompressed is damage, and its source is let go of [P7]", async () => {
  const zipped = gzipSync(TEXT);
  const broken = Buffer.from(zipped).fill(0xff, 12, 20);
  for (const bytes of [zipped.subarray(0, -10), broken]) {
    const source = piecesOf(bytes, 50);
    await expect(unzip("run.jsonl.gz", source.bytes)).rejects.toMatchObject({
      code: "FILE_EXPORT_DAMAGED",
      message: "run.jsonl.gz is no intact export of a run: it cannot be decompressed",
      cause: { code: expect.stringMatching(/^Z_/) },
    });
    expect(source.closed).toEqual(["closed"]);
  }
});

test.each([
  ["as it is", Buffer.from(TEXT)],
  ["compressed", gzipSync(TEXT)],
])(
  "whoever takes an export %s and cannot go on is heard, and its source is let go of",
  async (_what, bytes) => {
    const source = piecesOf(bytes, 50);
    const full = new Error("no more");
    const taking = unzipExport({ name: "x", bytes: source.bytes }, () => {
      throw full;
    });
    await expect(taking).rejects.toBe(full);
    expect(source.closed).toEqual(["closed"]);
  },
);
