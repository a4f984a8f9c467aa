import {
  type BodyBounds,
  boundResponse,
  EVENT_BOUNDS,
  readBeginning,
} from "../../../../host/incoming-body.ts";

// Asks the server that somebody named and no other: a request holds a key, and all that an agent was told. What the server
// sends back is counted while it is read.

/** Of a page, or of a body that explains why there is no answer. */
const MAX_EXPLANATION_BYTES = 64 * 1024;
/** Each word of an answer comes in an event of some hundred bytes. */
const ANSWER_BOUNDS: BodyBounds = { ...EVENT_BOUNDS, maxBytes: 128 * 1024 * 1024 };
const TITLE = /<title[^<>]*>([^<]{1,200})/i;

/** What answered is no server of a model, or not the one that was named. */
export class WrongServer extends Error {
  override readonly name = "WrongServer";
  readonly status: number;

  constructor(status: number, problem: string) {
    super(problem);
    this.status = status;
  }
}

/** The server that is asked. */
export interface NamedServer {
  /** The setting that names it. */
  readonly setting: string;
  /** Of what it answers, unless it answers with a failure: of that only the beginning is read. */
  readonly bounds: BodyBounds;
  /** Called once when an answer is over them. */
  readonly onOver?: (error: Error) => void;
}

/**
 * As `fetch`, but of the server that was named. Rejects with WrongServer if it sends on to another address; reading the
 * body raises HOST_BODY_TOO_LARGE.
 */
export async function fetchNamed(
  input: string | URL | Request,
  init: RequestInit | undefined,
  { setting, bounds, onOver }: NamedServer,
): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: "manual" });
  const place = bareAddress(input instanceof Request ? input.url : `${input}`);
  const { status, headers } = response;
  const location = headers.get("location");
  if (status >= 400 && response.body !== null) {
    const text = await readBeginning(response, MAX_EXPLANATION_BYTES);
    return new Response(text, { status, statusText: response.statusText, headers });
  }
  if (status < 300 || status >= 400 || location === null)
    return boundResponse(response, { source: place, bounds, onOver });
  await response.body?.cancel();
  const target = URL.canParse(location, place) ? new URL(location, place).href : location;
  throw new WrongServer(
    status,
    `${place} sends on to ${bareAddress(target)}, where nothing is sent; if that is right, say it as the ${setting}`,
  );
}

/** As `fetch`, for packages of providers. Rejects with WrongServer for redirects and web pages; see `fetchNamed`. */
export const askServer: typeof fetch = async (input, init) => {
  const response = await fetchNamed(input, init, { setting: "baseUrl", bounds: ANSWER_BOUNDS });
  const { status, headers } = response;
  if (!/^\s*text\/html/i.test(headers.get("content-type") ?? "")) return response;
  const place = bareAddress(input instanceof Request ? input.url : `${input}`);
  const page = await readBeginning(response, MAX_EXPLANATION_BYTES);
  const title = TITLE.exec(page)?.[1]?.replaceAll(/\s+/g, " ").trim();
  const named = title === undefined ? "" : ` ("${title}")`;
  throw new WrongServer(
    status,
    `${place} answers a web page${named} and no model; see that the baseUrl is right, with /v1 where the server wants it`,
  );
};

/** An address without what may be secret in it. */
export function bareAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}
