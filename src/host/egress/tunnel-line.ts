import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";

/** The inner end of the line of a confined program. */
export interface TunnelLine {
  /** A connection to `host:port`; rejects with what the outer end says against it. */
  open(target: string): Promise<ClientHttp2Stream>;
}

// Half of what the outer end takes: there streams that end count a little longer.
const MAX_STREAMS = 128;
const MAX_MEMORY_MEGABYTES = 64;

/** A line that is first used when somebody wants a connection: most programs have no use for it at their start. */
export function createTunnelLine(inherit: () => Duplex): TunnelLine {
  let session: ClientHttp2Session | undefined;
  let open = 0;
  const waiting: (() => void)[] = [];
  const leave = () => {
    open -= 1;
    waiting.shift()?.();
  };
  return {
    open: async (target) => {
      while (open >= MAX_STREAMS) await new Promise<void>((resolve) => waiting.push(resolve));
      session ??= connectLine(inherit);
      const headers = { ":method": "CONNECT", ":authority": target };
      const stream = session.request(headers, { endStream: false });
      open += 1;
      stream.once("close", leave);
      return answered(stream);
    },
  };
}

function connectLine(inherit: () => Duplex): ClientHttp2Session {
  const { connect } = process.getBuiltinModule("node:http2");
  const line = connect("http://troupe", {
    createConnection: inherit,
    maxSessionMemory: MAX_MEMORY_MEGABYTES,
  });
  // Without its line the program runs on, without network.
  line.on("error", () => line.destroy());
  return line;
}

function answered(stream: ClientHttp2Stream): Promise<ClientHttp2Stream> {
  return new Promise((resolve, reject) => {
    stream.once("error", reject);
    stream.once("close", () => reject(new Error("the line is closed")));
    stream.once("response", ({ ":status": status }) => {
      if (status === 200) resolve(stream);
      else readRefusal(stream).then(reject, reject);
    });
  });
}

async function readRefusal(stream: ClientHttp2Stream): Promise<Error> {
  stream.end();
  let reason = "";
  for await (const text of stream.setEncoding("utf8")) reason += String(text);
  return new Error(reason.trim());
}
