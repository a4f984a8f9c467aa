/**
 * Frees the memory of bytes that nobody reads any more: garbage outside of the heap comes faster than it is collected.
 * Memory that the bytes share with others stays.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
