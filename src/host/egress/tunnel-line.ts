import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";

/** The inner end of the line of a confined program. */
export interface TunnelLine {
  /** A connection to `host:port`; rejects with what the outer end says against it. */
  open(target: string): Promise<ClientHttp2Stream>;
}

/** A line that is first used when somebody wants a connection: most programs have no use for it at their start. */
export function createTunnelLine(inherit: () => Duplex): TunnelLine {
  let session: ClientHttp2Session | undefined;
  const connected = () => {
    const { connect } = process.getBuiltinModule("node:http2");
    const line = connect("http://troupe", { createConnection: inherit });
    // Without its line the program runs on, without network.
    line.on("error", () => line.destroy());
    return line;
  };
  return {
    open: (target) =>
      new Promise((resolve, reject) => {
        session ??= connected();
        const headers = { ":method": "CONNECT", ":authority": target };
        const stream = session.request(headers, { endStream: false });
        stream.once("error", reject);
        stream.once("close", () => reject(new Error("the line is closed")));
        stream.once("response", ({ ":status": status }) => {
          if (status === 200) resolve(stream);
          else readRefusal(stream).then(reject, reject);
        });
      }),
  };
}

async function readRefusal(stream: ClientHttp2Stream): Promise<Error> {
  stream.end();
  let reason = "";
  for await (const text of stream.setEncoding("utf8")) reason += String(text);
  return new Error(reason.trim());
}
