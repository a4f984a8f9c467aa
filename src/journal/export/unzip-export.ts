import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { exportDamaged } from "../errors.ts";

/** An export as it was stored or sent. */
export interface ExportBytes {
  /** How errors name it. */
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * Hands out the bytes of an export as they were before it was compressed, if it was. Raises
 * FILE_EXPORT_DAMAGED and what `take` raises.
 */
export async function unzipExport(
  { name, bytes }: ExportBytes,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  const source = bytes[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done) return;
  const all = chunksFrom(first.value, source);
  try {
    if (!isGzip(first.value)) {
      for await (const chunk of all) take(chunk);
      return;
    }
    await pipeline(all, createGunzip(), async (chunks: AsyncIterable<Uint8Array>) => {
      for await (const chunk of chunks) take(chunk);
    });
  } catch (error) {
    if (!isZlibError(error)) throw error;
    throw exportDamaged({ file: name, problem: "it cannot be decompressed" }, { cause: error });
  } finally {
    await source.return?.();
  }
}

async function* chunksFrom(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}
