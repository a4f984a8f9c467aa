/** Which latency of a message a program measures. */
export interface LatencyArguments {
  readonly clients: number;
  /** Between 0 and 1. */
  readonly percentile: number;
}

const warmUps = 200;
const messagesPerClient = 300;

/** `CLIENTS PERCENTILE` of the command line. */
export function latencyArguments(): LatencyArguments {
  return { clients: Number(process.argv[2] ?? 1), percentile: Number(process.argv[3] ?? 0.5) };
}

/** Prints the latency of `send`, in ms; each client sends one message after the other. */
export async function printLatency(
  { clients, percentile }: LatencyArguments,
  send: (client: number, message: number) => Promise<unknown>,
): Promise<void> {
  const latencies: number[] = [];
  const talk = async (client: number, count: number, take: (durationMs: number) => void) => {
    for (let message = 1; message <= count; message += 1) {
      const sentMs = performance.now();
      await send(client, message);
      take(performance.now() - sentMs);
    }
  };
  await talk(clients, warmUps, () => {});
  await Promise.all(
    Array.from({ length: clients }, (_, client) =>
      talk(client, messagesPerClient, (durationMs) => latencies.push(durationMs)),
    ),
  );
  latencies.sort((left, right) => left - right);
  const figure = latencies[Math.floor(latencies.length * percentile)];
  process.stdout.write(`${JSON.stringify({ figure })}\n`);
}
