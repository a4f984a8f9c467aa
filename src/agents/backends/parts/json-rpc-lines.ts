import { z } from "zod";

/** The answer to a call; an error of the other side is an answer too. */
export type RpcAnswer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: number; readonly message: string };

/** What the other side asks for. */
export interface RpcRequest {
  readonly method: string;
  readonly params: unknown;
}

export interface JsonRpcOptions {
  /** Sends one line. */
  readonly send: (line: string) => void;
  /** Answers a request of the other side; `undefined`: there is no such method. Must not reject. */
  readonly onRequest: (request: RpcRequest) => Promise<unknown>;
  /** Takes a whole line that holds a notification. */
  readonly onNotification: (line: string) => void;
}

/** One side of a conversation of requests and notifications in lines, without a "jsonrpc" member. */
export interface JsonRpcPeer {
  /** Rejects with the reason of `end` when that comes first. */
  call(method: string, params: unknown): Promise<RpcAnswer>;
  notify(method: string): void;
  /** Takes one line of the other side; what is no message is passed over. */
  take(line: string): void;
  /** Nothing more will come: open calls reject with the reason, later ones too. */
  end(reason: unknown): void;
}

const METHOD_NOT_FOUND = -32601;

const messageSchema = z.object({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z
    .object({ code: z.number().catch(0), message: z.string().catch("no reason given") })
    .optional(),
});

type Message = z.infer<typeof messageSchema>;

interface OpenCall {
  readonly resolve: (answer: RpcAnswer) => void;
  readonly reject: (reason: unknown) => void;
}

/** A peer without open calls. */
export function createJsonRpcPeer(options: JsonRpcOptions): JsonRpcPeer {
  const open = new Map<number, OpenCall>();
  let lastId = 0;
  let ending: { readonly reason: unknown } | undefined;
  const send = (message: { readonly [member: string]: unknown }) =>
    options.send(JSON.stringify(message));
  const settle = (id: Message["id"], answer: RpcAnswer) => {
    if (typeof id !== "number") return;
    open.get(id)?.resolve(answer);
    open.delete(id);
  };
  const answer = async (id: number | string, request: RpcRequest) => {
    const result = await options.onRequest(request);
    if (ending !== undefined) return;
    const message = `troupe does not know ${request.method}`;
    if (result === undefined) send({ id, error: { code: METHOD_NOT_FOUND, message } });
    else send({ id, result });
  };
  return {
    call: (method, params) =>
      new Promise((resolve, reject) => {
        if (ending !== undefined) return reject(ending.reason);
        lastId += 1;
        open.set(lastId, { resolve, reject });
        send({ id: lastId, method, params });
      }),
    notify: (method) => send({ method }),
    take: (line) => {
      const { id, method, params, result, error } = toMessage(line);
      if (method !== undefined && id !== undefined) {
        // Whoever answers requests turns its own failures into answers.
        void answer(id, { method, params });
      } else if (method !== undefined) options.onNotification(line);
      else if (error !== undefined) settle(id, { ok: false, ...error });
      else settle(id, { ok: true, result });
    },
    end: (reason) => {
      ending ??= { reason };
      for (const { reject } of open.values()) reject(reason);
      open.clear();
    },
  };
}

function toMessage(line: string): Partial<Message> {
  try {
    return messageSchema.safeParse(JSON.parse(line)).data ?? {};
  } catch {
    return {};
  }
}
