import { Agent, request } from "node:http";
import { medianOf } from "./median.ts";

/** A request that is sent again and again on one connection. */
export interface RepeatedCall {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

/** One answer. */
interface Answer {
  readonly status: number | undefined;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends one request. */
export function post({ url, headers, body }: RepeatedCall): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent, headers });
    sent.on("error", reject);
    sent.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, text }),
      );
    });
    sent.end(body);
  });
}

/** The median duration of a call, in ms. Throws unless every answer holds `expected`. */
export async function medianCallMs(
  call: RepeatedCall,
  { count, expected }: { readonly count: number; readonly expected: string },
): Promise<number> {
  const durations: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const startedMs = performance.now();
    const { status, text } = await post(call);
    durations.push(performance.now() - startedMs);
    if (status !== 200 || !text.includes(expected)) throw new Error(`answered ${status}: ${text}`);
  }
  return medianOf(durations);
}
