import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Lets two streams be one connection: what one says the other hears, with back pressure, until both have ended. */
export function splice(socket: Socket, stream: Duplex, idleMs: number): void {
  const end = () => {
    socket.destroy();
    stream.destroy();
  };
  socket.setTimeout(idleMs, end);
  for (const side of [socket, stream]) {
    side.on("error", end);
    // One that is over by itself has handed on all that it heard; the other may still be writing that.
    side.on("close", () => {
      if (!side.readableEnded || !side.writableFinished) end();
    });
  }
  socket.pipe(stream).pipe(socket);
}
