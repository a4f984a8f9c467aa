import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { rejectOnAbort } from "../../../../foundation/abort.ts";
import { startAwakeTimer } from "../../../../foundation/awake-timer.ts";
import type { Clock } from "../../../../foundation/clock.ts";
import { TroupeError } from "../../../../foundation/errors.ts";
import { type DialPorts, dialTarget } from "../../../../host/egress/dial-target.ts";
import { judgeTarget } from "../../../../host/egress/judge-target.ts";
import { type BodyBounds, countBody } from "../../../../host/incoming-body.ts";
import { ToolFailure } from "../files/tool-failure.ts";

// Fetches pages for models (T13.web, T13.rebinding, T13.redirects).
// F1: every address is judged before it is connected to, also where a page is sent on to, and what was judged is what is
//     connected to: a name may mean something else a moment later.
// F2: another host is never followed to: whoever allowed the one has said nothing of the other.

const PAGE_BOUNDS: BodyBounds = {
  maxBytes: 10 * 1024 * 1024,
  maxEventBytes: Number.POSITIVE_INFINITY,
  maxEventValues: Number.POSITIVE_INFINITY,
};
const MAX_SHOWN_CHARS = 200;
const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 30_000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What stands at an address. */
export interface FetchedPage {
  /** Where it was found at last. */
  readonly url: string;
  readonly contentType: string;
  readonly text: string;
}

/** What a page is fetched by. */
export interface WebPorts extends DialPorts {
  readonly clock: Clock;
}

/** Gets a page; sends nothing but its address. Raises ToolFailure and the signal's reason. */
export async function fetchPage(
  address: string,
  ports: WebPorts,
  signal: AbortSignal,
): Promise<FetchedPage> {
  const late = new AbortController();
  const timer = startAwakeTimer(ports.clock, TIMEOUT_MS, () => late.abort());
  const until = AbortSignal.any([signal, late.signal]);
  const aborted = rejectOnAbort(until);
  // A name may take longer to be found than anybody waits, and nothing cuts that off.
  const page = follow(parseUrl(address), ports, until);
  try {
    return await Promise.race([page, aborted.promise]);
  } catch (error) {
    page.catch(() => {});
    signal.throwIfAborted();
    if (late.signal.aborted)
      throw new ToolFailure(`${address}: no answer within ${TIMEOUT_MS / 1000} s`);
    throw error;
  } finally {
    timer.cancel();
    aborted.stop();
  }
}

async function follow(from: URL, ports: DialPorts, signal: AbortSignal): Promise<FetchedPage> {
  let url = from;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const response = await get(url, ports, signal).catch((error: unknown) => {
      throw toFailure(url, error);
    });
    const { statusCode = 0, headers } = response;
    if (!REDIRECTS.has(statusCode) || headers.location === undefined)
      return readPage(url, response);
    response.destroy();
    if (!URL.canParse(headers.location, url.href)) throw new ToolFailure(noAddress(url, headers));
    const next = parseUrl(new URL(headers.location, url).href);
    if (next.host !== url.host)
      throw new ToolFailure(`${url.href} sends on to another host: ${next.href}; ask for that`);
    url = next;
  }
  throw new ToolFailure(`${from.href} sends on more than ${MAX_REDIRECTS} times`);
}

function noAddress({ href }: URL, { location = "" }: IncomingMessage["headers"]): string {
  return `${href} sends on to what is not an address: ${location.slice(0, MAX_SHOWN_CHARS)}`;
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw new ToolFailure(`expected an address that begins with https:// or http://: ${text}`);
  if (url.username !== "" || url.password !== "")
    throw new ToolFailure("an address with a user or a password in it is not fetched");
  return url;
}

async function get(url: URL, ports: DialPorts, signal: AbortSignal): Promise<IncomingMessage> {
  const isSecure = url.protocol === "https:";
  const socket = await dial(url, ports, signal);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const send = isSecure ? requestHttps : requestHttp;
  const headers = { accept: "text/html, text/*, application/json", "user-agent": "troupe" };
  const createConnection = () =>
    isSecure ? connectTls({ socket, servername: url.hostname }) : socket;
  const request = send(url, { headers, signal, createConnection }, resolve);
  request.on("error", reject).end();
  return promise;
}

/** Raises ToolFailure. */
async function dial(url: URL, ports: DialPorts, signal: AbortSignal): Promise<Socket> {
  const usual = url.protocol === "https:" ? "443" : "80";
  const port = url.port === "" ? usual : url.port;
  const verdict = judgeTarget(`${url.hostname}:${port}`, ports.reach);
  if (verdict.status === "refused") throw refused(url, verdict.reason);
  const { target, isNamed } = verdict;
  const dialled = await dialTarget({ target, isNamed, signal }, ports);
  if (dialled.status === "connected") return dialled.socket;
  if (dialled.status === "refused") throw refused(url, dialled.reason);
  throw new ToolFailure(`${url.href}: ${dialled.reason}`);
}

async function readPage(url: URL, response: IncomingMessage): Promise<FetchedPage> {
  const { statusCode = 0, headers } = response;
  const chunks: Buffer[] = [];
  const counter = countBody(url.href, PAGE_BOUNDS, false);
  try {
    for await (const chunk of response) {
      counter.take(chunk);
      chunks.push(chunk);
    }
  } catch (error) {
    throw toFailure(url, error);
  } finally {
    response.destroy();
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks));
  if (statusCode >= 400) throw new ToolFailure(`${url.href} answers ${statusCode}`);
  return { url: url.href, contentType: headers["content-type"] ?? "", text };
}

function refused({ href }: URL, reason: string): ToolFailure {
  return new ToolFailure(`${href} is not fetched: ${reason}`);
}

function toFailure({ href }: URL, error: unknown): ToolFailure {
  if (error instanceof ToolFailure) return error;
  if (error instanceof TroupeError) return new ToolFailure(error.message);
  return new ToolFailure(`${href}: ${error instanceof Error ? error.message : String(error)}`);
}
