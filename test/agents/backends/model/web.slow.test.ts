import { createServer, type ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { fetchPage } from "../../../../src/agents/backends/model/web/fetch-page.ts";
import { pageText, readablePart } from "../../../../src/agents/backends/model/web/page-text.ts";
import { type Clock, systemClock } from "../../../../src/foundation/clock.ts";
import { createManualClock, settle } from "../../../../src/testing/manual-clock.ts";
import { modelTurn } from "./model-turn.ts";

type Pages = { readonly [path: string]: (response: ServerResponse) => void };

/** A server on this machine, and a reach that names it: what else is on this machine stays out of reach. */
async function webOf(pages: Pages, clock: Clock = systemClock) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    (pages[request.url ?? ""] ?? ((missing) => missing.writeHead(404).end()))(response);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const place = `127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const reach = { hosts: "public", local: [place] } as const;
  // A public name that leads to this machine, as whoever owns the name may say.
  const resolveName = async () => ["127.0.0.1"];
  const get = (url: string, signal = new AbortController().signal) =>
    fetchPage(url, { reach, resolveName, clock }, signal).then(
      ({ url: at, text }) => `${at} ${text}`,
      (error: unknown) => `refused: ${error instanceof Error ? error.message : error}`,
    );
  return { base: `http://${place}`, asked, get, port: place.split(":")[1] ?? "" };
}

const says =
  (text: string, type = "text/plain") =>
  (response: ServerResponse) =>
    void response.writeHead(200, { "content-type": type }).end(text);
const sends = (location: string) => (response: ServerResponse) =>
  void response.writeHead(302, { location }).end();

test.each([
  ["an address of this machine", "http://127.0.0.1:1/", "it is a loopback address"],
  ["this machine by its name", "http://localhost:1/", "it is this machine"],
  ["a private address", "http://10.0.0.1/", "it is a private address"],
  ["where clouds tell secrets", "http://169.254.169.254/latest", "special address"],
  ["an address spelled as a number", "http://2130706433/", "it is a loopback address"],
  ["an address of IPv6 that is one of IPv4", "http://[::ffff:127.0.0.1]/", "refused"],
  ["a public name that leads to this machine", "http://rebound.example.com/", "127.0.0.1"],
  ["a file", "file:///etc/passwd", "https:// or http://"],
  ["an address with a password", "http://a:b@example.com/", "a user or a password"],
])("%s is not fetched [T13.web, LOOP-2]", async (_, url, reason) => {
  const { get, asked } = await webOf({});
  const answer = await get(url);
  expect(answer).toMatch(/^refused: /);
  expect(answer).toContain(reason === "refused" ? "refused: " : reason);
  expect(asked).toEqual([]);
});

test("a page may send on within its host, five times, and to no other host, private or not [T13.redirects, LOOP-14.caps]", async () => {
  const { get, base, asked } = await webOf({
    "/a": sends("/b"),
    "/b": says("found"),
    "/round": sends("/round"),
    "/out": sends("http://169.254.169.254/latest"),
    "/else": sends("https://example.com/"),
    "/nowhere": sends("http://["),
  });
  expect(await get(`${base}/a`)).toBe(`${base}/b found`);
  expect(await get(`${base}/nowhere`)).toBe(
    `refused: ${base}/nowhere sends on to what is not an address: http://[`,
  );
  expect(await get(`${base}/round`)).toContain("sends on more than 5 times");
  expect(asked.filter((path) => path === "/round")).toHaveLength(6);
  expect(await get(`${base}/out`)).toContain(
    "sends on to another host: http://169.254.169.254/latest",
  );
  expect(await get(`${base}/else`)).toContain("sends on to another host: https://example.com/");
});

test("what is too long, missing or broken off is told, and an abort ends it [LOOP-14.caps]", async () => {
  const { get, base } = await webOf({
    "/long": (response) => {
      const chunk = Buffer.alloc(1024 * 1024, "x");
      response.writeHead(200, { "content-type": "text/plain" });
      for (let count = 0; count < 11; count += 1) response.write(chunk);
      response.end();
    },
    "/cut": (response) => {
      response.writeHead(200, { "content-length": "100" }).write("half");
      setImmediate(() => response.destroy());
    },
    "/never": () => {},
  });
  expect(await get(`${base}/long`)).toContain("sent more than 10 MiB; the connection was closed");
  expect(await get(`${base}/none`)).toContain("answers 404");
  expect(await get(`${base}/cut`)).toMatch(/^refused: /);
  const abort = new AbortController();
  const never = get(`${base}/never`, abort.signal);
  abort.abort(new Error("enough"));
  expect(await never).toBe("refused: enough");
});

test.each(["/never", "/begun", "/on"])(
  "a page that has not come after 30 seconds (%s) is given up, and its connection with it [LOOP-14.caps]",
  async (path) => {
    const clock = createManualClock();
    const begun = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const stand = (response: ServerResponse) => {
      response.on("close", closed.resolve);
      begun.resolve();
    };
    const { get, base } = await webOf(
      {
        "/never": stand,
        "/begun": (response) => {
          response.writeHead(200, { "content-type": "text/plain" }).write("half");
          stand(response);
        },
        "/on": sends("/never"),
      },
      clock,
    );
    const answer = get(`${base}${path}`);
    await begun.promise;
    await clock.advance(29_999);
    const early = await Promise.race([answer, settle().then(() => "waits")]);
    expect(early).toBe("waits");
    await clock.advance(1);
    expect(await answer).toBe(`refused: ${base}${path}: no answer within 30 s`);
    await closed.promise;
    expect(clock.timerCount).toBe(0);
  },
);

test("a name that nobody finds within 30 seconds is given up; a page that came leaves no timer [LOOP-14.caps]", async () => {
  const clock = createManualClock();
  const ports = { reach: { hosts: "public", local: [] }, clock } as const;
  const resolveName = () => new Promise<never>(() => {});
  const { signal } = new AbortController();
  const answer = fetchPage("https://example.com/", { ...ports, resolveName }, signal);
  const refused = expect(answer).rejects.toThrow("https://example.com/: no answer within 30 s");
  await clock.advance(30_000);
  await refused;
  const { get, base } = await webOf({ "/": says("here") }, clock);
  expect(await get(`${base}/`)).toBe(`${base}/ here`);
  expect(clock.timerCount).toBe(0);
});

test("a page is shown as Markdown: its main part, without what is not for reading [LOOP-2]", () => {
  const html = `<html><head><style>p{}</style><script>alert("x<p>")</script></head><body><nav>Menu</nav>
    <main><h2>One &amp; <b>two</b></h2><p>See <a href="/next?a=1&amp;b=2">the   next</a> and <a href="javascript:x()">this</a>.</p>
    <ul><li>first</li><li>second &#8212; &#x41;</li></ul><pre>a &lt; b</pre></main><footer>end</footer></body></html>`;
  expect(pageText(html, "https://example.com/at")).toBe(
    "## One & two\n\nSee [the next](https://example.com/next?a=1&b=2) and this.\n\n- first\n\n- second — A\n\n```\na < b\n```",
  );
});

test.each(["<script>", "<p ", '<a href="x">', "<main>", "<h1>", "<!-- ", "</pre><pre>"])(
  "a page that is full of %s is read in time linear in its length [LOOP-2, T9]",
  (part) => {
    // Read with patterns that look for what is not there, it would take minutes.
    const text = pageText(`${part.repeat(200_000)}<p>end</p>`, "https://example.com/");
    expect(text.length).toBeLessThan(2_000_000);
  },
);

test.each([
  { what: "unless its tools name it", spec: {}, isOffered: false },
  { what: "also where others are denied", spec: { disallowedTools: ["Bash"] }, isOffered: false },
  { what: "but where they do", spec: { tools: ["Read", "WebFetch"] }, isOffered: true },
])("no agent fetches pages $what [LOOP-2]", async ({ spec, isOffered }) => {
  const { run, calls } = await modelTurn([{ text: "ok" }], spec);
  await run.over();
  expect(calls()[0]?.body.includes('"WebFetch"')).toBe(isOffered);
});

test("of a page of nothing but tags so much is read as takes no time, and a page like a real one is read whole [AGT-21.pages, T9]", () => {
  for (const part of ["<", "<p>", "&amp;", "\n\n", "<a href=x>y</a>", "<!--", "<a "]) {
    const html = part.repeat(1_000_000);
    const read = readablePart(html);
    expect(read.match(/[<&\n]/g)).toHaveLength(250_000);
    expect(html.startsWith(read)).toBe(true);
  }
  const page = `<main>${"<p>A line &amp; another.</p>\n".repeat(50_000)}</main>`;
  expect(readablePart(page)).toBe(page);
});
