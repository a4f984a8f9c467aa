import { createServer, type RequestListener } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { type Clock, systemClock } from "../../../../src/foundation/clock.ts";
import { DIALECTS, type Dialect, modelRun } from "./model-run.ts";

const hurried: Clock = {
  ...systemClock,
  startTimer: (delayMs, fire) => systemClock.startTimer(Math.min(delayMs, 5), fire),
};

/** A server on this machine that is no model, with what it was asked. */
async function serverOf(answer: RequestListener) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume();
    answer(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const close = () => new Promise((resolve) => void server.close(resolve));
  return {
    base: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    asked,
    close,
  };
}

/** How a turn ends whose model is asked there. */
async function endAt(baseUrl: string, dialect: Dialect = "chat") {
  const { path } = DIALECTS[dialect];
  const run = await modelRun({
    dialect,
    clock: hurried,
    settings: { baseUrl: `${baseUrl}${path}` },
  });
  const updates = await run.turn([{ text: "never" }]);
  const end = updates.at(-1);
  return end?.type === "error" ? end.error : undefined;
}

const page = "<!doctype html><title>Please\n sign in</title><p>Hello";

test.each(["anthropic", "responses", "chat", "openai-chat", "google"] as const)(
  "%s: a key and a prompt go to the server that was named, and nowhere that it sends on to [LOOP-5, T13.redirects]",
  async (dialect) => {
    const other = await serverOf((_, response) => void response.end());
    const { base, asked } = await serverOf((_, response) => {
      response.writeHead(307, { location: `${other.base}/v1?token=s3cret` }).end();
    });
    const error = await endAt(base, dialect);
    expect(error).toMatchObject({ code: "BACKEND_PROVIDER_REFUSED" });
    expect(error?.message).toContain(
      `sends on to ${other.base}/v1, where nothing is sent; if that is right, say it as the baseUrl`,
    );
    expect(asked).toHaveLength(1);
    expect(other.asked).toEqual([]);
  },
);

test.each([
  ["a web page", 200, "BACKEND_PROVIDER_REFUSED", 1],
  ["a web page that says that nothing is there", 404, "BACKEND_PROVIDER_REFUSED", 1],
  ["the page of a gateway whose server is away", 502, "BACKEND_PROVIDER_FAILED", 9],
] as const)(
  "%s is told as one, with its title and where it was [LOOP-5]",
  async (...[, status, code, times]) => {
    const { base, asked } = await serverOf((_, response) => {
      response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(page);
    });
    const error = await endAt(base);
    expect(error).toMatchObject({ code });
    expect(error?.message).toContain(
      `(HTTP ${status}): ${base}/v1/chat/completions answers a web page ("Please sign in") and no model`,
    );
    expect(asked).toHaveLength(times);
  },
);

test("a place that is not there is told with its address and what it says [LOOP-5]", async () => {
  const { base } = await serverOf((_, response) => {
    response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found\n");
  });
  expect((await endAt(base))?.message).toContain(
    `(HTTP 404): ${base}/v1/chat/completions says 404 page not found`,
  );
});

test("a server that is not up, and one that goes in the middle of an answer, are told apart [LOOP-5]", async () => {
  const away = await serverOf(() => {});
  await away.close();
  const gone = await endAt(away.base);
  expect(gone).toMatchObject({ code: "BACKEND_PROVIDER_FAILED" });
  expect(gone?.message).toContain(
    `nothing listens at ${away.base}/v1/chat/completions; is its server up?`,
  );
  const { base, asked } = await serverOf((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const delta = { role: "assistant", content: "I will beg" };
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`, () =>
      response.destroy(),
    );
  });
  const cut = await endAt(base);
  expect(cut?.message).toContain("the connection ended in the middle of the answer");
  expect(asked).toHaveLength(9);
});

test.each([
  ["chat", "it was asked with the key in LOCAL_KEY; troupe doctor --online tries it"],
  ["anthropic", "it was asked with the key in ANTHROPIC_API_KEY; troupe doctor --online tries it"],
] as const)(
  "%s: a key that is not accepted is named by its variable [LOOP-5]",
  async (dialect, hint) => {
    const { base } = await serverOf((_, response) => {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "Incorrect API key provided" } }));
    });
    expect(await endAt(base, dialect)).toMatchObject({ code: "BACKEND_NOT_SIGNED_IN", hint });
  },
);
