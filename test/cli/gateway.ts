import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A server on loopback in front of a scripted model; while it holds, it answers nothing. */
export interface Gateway {
  readonly url: string;
  readonly asked: () => number;
  readonly firstAsked: Promise<void>;
  /** Resolves once it has been asked so many times. */
  askedTimes(times: number): Promise<void>;
  answerFromNowOn(): void;
}

/** Starts one in front of the server at `target`; it is closed after the test. */
export async function startGateway(target: string): Promise<Gateway> {
  const waiting = new Map<number, PromiseWithResolvers<void>>();
  const askedTimes = (times: number) => {
    const known = waiting.get(times) ?? Promise.withResolvers<void>();
    waiting.set(times, known);
    if (asked >= times) known.resolve();
    return known.promise;
  };
  let asked = 0;
  let isHeld = true;
  const server = createServer((request, response) => {
    asked += 1;
    waiting.get(asked)?.resolve();
    if (isHeld) return;
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const headers = { "content-type": "application/json", "x-api-key": "x" };
      const body = Buffer.concat(parts);
      fetch(`${target}${request.url}`, { method: "POST", headers, body }).then(
        async (answer) => {
          const type = answer.headers.get("content-type") ?? "";
          response.writeHead(answer.status, { "content-type": type });
          response.end(await answer.text());
        },
        () => response.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked: () => asked,
    firstAsked: askedTimes(1),
    askedTimes,
    answerFromNowOn: () => {
      isHeld = false;
    },
  };
}
