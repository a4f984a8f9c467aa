// Asks the server that somebody named and no other: a request holds a key, and all that an agent was told.

const MAX_PAGE_CHARS = 64 * 1024;
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

/** As `fetch`, but of the server that was named as `setting`. Rejects with WrongServer where it sends on to another place. */
export async function fetchNamed(
  input: string | URL | Request,
  init: RequestInit | undefined,
  setting: string,
): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: "manual" });
  const place = bareAddress(input instanceof Request ? input.url : `${input}`);
  const { status, headers } = response;
  const location = headers.get("location");
  if (status < 300 || status >= 400 || location === null) return response;
  await response.body?.cancel();
  const target = URL.canParse(location, place) ? new URL(location, place).href : location;
  throw new WrongServer(
    status,
    `${place} sends on to ${bareAddress(target)}, where nothing is sent; if that is right, say it as the ${setting}`,
  );
}

/** As `fetch`, for packages of providers. Rejects with WrongServer for redirects and web pages. */
export const askServer: typeof fetch = async (input, init) => {
  const response = await fetchNamed(input, init, "baseUrl");
  const { status, headers } = response;
  if (!/^\s*text\/html/i.test(headers.get("content-type") ?? "")) return response;
  const place = bareAddress(input instanceof Request ? input.url : `${input}`);
  const page = (await response.text()).slice(0, MAX_PAGE_CHARS);
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
