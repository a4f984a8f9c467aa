import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { isRecord } from "../../src/foundation/json.ts";
import { answerMcp } from "../agents/backends/model/mcp-answers.ts";
import { DIALECTS, type Dialect } from "../agents/backends/model/model-run.ts";
import { toPieces } from "../agents/backends/model/raw-model-server.ts";
import { takesAll } from "../cases.ts";
import { startModelServer } from "../clients/model-server/model-server.ts";
import { scriptText } from "../clients/model-server/script.ts";
import type { AskedTurn, AskedTurns } from "./endless-bodies-program.ts";

// A server that is asked for an answer sends whatever it likes, for as long as somebody reads it.

const MAX_RESIDENT_BYTES = 300 * 1024 * 1024;
const FILLER = "x".repeat(64 * 1024);
const MARK = "MARK";

/** What a server sends for ever. */
interface EndlessBody {
  readonly status: number;
  readonly contentType: string;
  readonly isCompressed?: true;
  readonly start?: readonly string[];
  readonly again: string;
}

const stream = { status: 200, contentType: "text/event-stream" } as const;
const BODIES = {
  "a line of a stream": () => ({ ...stream, start: ["data: "], again: FILLER }),
  "an event of many lines": () => ({ ...stream, again: `data: ${FILLER}\n` }),
  "an event of small values": () => ({ ...stream, start: ["data: ["], again: "1,".repeat(9999) }),
  "small events": (dialect: Dialect) => ({ ...stream, ...smallEvents(dialect) }),
  "events that say nothing": () => ({ ...stream, again: `: ${FILLER}\n\n` }),
  "a compressed line": () => ({
    ...stream,
    ...{ isCompressed: true, start: ["data: "], again: FILLER },
  }),
  JSON: () => ({ status: 200, contentType: "application/json", start: ['{"a":"'], again: FILLER }),
  "a web page": () => ({ status: 200, contentType: "text/html", start: ["<p>"], again: FILLER }),
  "the page of a failure": () => ({ status: 500, contentType: "text/html", again: FILLER }),
  "a refusal": () => ({ status: 400, contentType: "application/json", again: FILLER }),
} satisfies { readonly [name: string]: (dialect: Dialect) => EndlessBody };

type Kind = keyof typeof BODIES;

function bodyOf(name: string | undefined, dialect: Dialect): EndlessBody {
  const bodies: { readonly [name: string]: (dialect: Dialect) => EndlessBody } = BODIES;
  return bodies[name ?? ""]?.(dialect) ?? BODIES.JSON();
}

/** How the turn ends for those that are no answer. */
const OTHER_CODES: { readonly [kind in Kind]?: string } = {
  "a web page": "BACKEND_PROVIDER_REFUSED",
  "the page of a failure": "BACKEND_PROVIDER_FAILED",
  "a refusal": "BACKEND_PROVIDER_REFUSED",
};

const kinds = Object.keys(BODIES).filter((name): name is Kind => name in BODIES);
const dialects = Object.keys(DIALECTS).filter((name): name is Dialect => name in DIALECTS);

/** The beginning of an answer, and a piece of its text. */
function smallEvents(dialect: Dialect) {
  const pieces = toPieces(dialect, { text: MARK, calls: [] });
  const at = pieces.findIndex((piece) => piece.includes(MARK));
  const piece = pieces[at] ?? "";
  return { start: pieces.slice(0, at), again: piece.replaceAll(MARK, "x".repeat(2000)) };
}

/** What is answered to a request, by the parts of its path: a body without end, a message, or nothing. */
type Answers = (path: readonly string[], asked: unknown) => unknown;

/** A server of such bodies, and which of them are being sent. */
async function endlessServer(answerTo: Answers) {
  const open = new Set<Promise<unknown>>();
  const server = createServer(async (request, response) => {
    const path = (request.url ?? "").split("/").slice(1).map(decodeURIComponent);
    const asked = request.method === "POST" ? await json(request) : undefined;
    const body = answerTo(path, asked);
    if (body === undefined) return response.writeHead(asked === undefined ? 405 : 202).end();
    if (!isEndless(body)) {
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(JSON.stringify(body));
    }
    const { status, contentType, isCompressed, start = [], again } = body;
    const encoding = isCompressed ? { "content-encoding": "gzip" } : {};
    response.writeHead(status, { "content-type": contentType, ...encoding });
    const source = Readable.from(endless(start, again));
    const sent = isCompressed
      ? pipeline(source, createGzip(), response)
      : pipeline(source, response);
    // The other side has to hang up.
    const closed = sent.catch(() => {}).finally(() => open.delete(closed));
    open.add(closed);
    return undefined;
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, open };
}

function isEndless(body: unknown): body is EndlessBody {
  return isRecord(body) && "again" in body;
}

function* endless(start: readonly string[], again: string) {
  yield* start;
  for (;;) yield again;
}

/** The turns, asked by a process that has little memory. */
async function askAll(turns: readonly AskedTurn[]): Promise<AskedTurns> {
  const program = join(import.meta.dirname, "endless-bodies-program.ts");
  const args = ["--max-old-space-size=160", program, JSON.stringify(turns)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

/** Every dialect and kind; every day each kind once, and each dialect twice. */
const cells = kinds
  .flatMap((kind, row) => dialects.map((dialect, column) => ({ kind, dialect, row, column })))
  .filter(({ row, column }) => takesAll() || row % dialects.length === column);

test("an answer of a model without end, of whatever kind, fails its turn with a code and takes little memory [AGT-21.bodies, AGT-21.errors, T14]", async () => {
  const { url, open } = await endlessServer(([dialect, kind]) => {
    const cell = cells.find((each) => each.dialect === dialect && each.kind === kind);
    return cell && bodyOf(cell.kind, cell.dialect);
  });
  const turns = cells.map(({ kind, dialect }): AskedTurn => {
    const { provider, path, key, settings } = DIALECTS[dialect];
    const baseUrl = `${url}/${dialect}/${encodeURIComponent(kind)}${path}`;
    const own = { [provider]: { baseUrl, apiKeyEnv: key, ...settings } };
    return { model: `${provider}/scripted`, settings: own, prompt: "go" };
  });
  const { ends, maxResidentBytes } = await askAll(turns);
  expect(cells.map(({ kind, dialect }, index) => [dialect, kind, ends[index]?.code])).toEqual(
    cells.map(({ kind, dialect }) => [dialect, kind, OTHER_CODES[kind] ?? "HOST_BODY_TOO_LARGE"]),
  );
  expect(maxResidentBytes).toBeLessThan(MAX_RESIDENT_BYTES);
  await expect.poll(() => open.size).toBe(0);
});

test("an answer of an MCP server without end fails its call with the reason, takes little memory, and the session continues [AGT-21.bodies, AGT-21.calls, T14]", async () => {
  const bodies = kinds.filter((kind) => kind !== "small events");
  const memory = { state: { description: "Says it again." }, token: "x", notify: () => {} };
  const { url, open } = await endlessServer(([, kind], asked) => {
    const isCall = isRecord(asked) && asked["method"] === "tools/call";
    if (!isCall || JSON.stringify(asked).includes("small")) return answerMcp(asked, memory);
    return bodyOf(kind, "chat");
  });
  const model = await startModelServer();
  onTestFinished(() => model.close());
  const turns = bodies.map((kind): AskedTurn => {
    const calls = ["large", "small"].map((text) => [{ tool: "mcp__web__echo", args: { text } }]);
    return {
      model: "anthropic/scripted",
      settings: { anthropic: { baseUrl: `${model.urlFor("worker")}/v1` } },
      mcpServers: { web: { url: `${url}/mcp/${encodeURIComponent(kind)}` } },
      prompt: scriptText(...calls.map((each) => ({ calls: each })), { text: "done" }),
    };
  });
  const { ends, maxResidentBytes } = await askAll(turns);
  for (const [index, kind] of bodies.entries()) {
    const reason = REASONS[kind] ?? /sent more than .*; the connection was closed/;
    expect([kind, ends[index]]).toEqual([
      kind,
      { type: "stop", results: [expect.stringMatching(reason), "small by x"] },
    ]);
  }
  expect(maxResidentBytes).toBeLessThan(MAX_RESIDENT_BYTES);
  await expect.poll(() => open.size).toBe(0);
});

/** Why a call has no answer where not for its size. */
const REASONS: { readonly [kind in Kind]?: RegExp } = {
  "a web page": /Unexpected content type/,
  "the page of a failure": /Error POSTing to endpoint: x/,
  "a refusal": /Error POSTing to endpoint: x/,
};
