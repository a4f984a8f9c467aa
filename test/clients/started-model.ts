import { onTestFinished } from "vitest";
import { type ModelServer, startModelServer } from "./model-server/model-server.ts";

/** A scripted model that ends with the test. */
export async function startedModel(): Promise<ModelServer> {
  const server = await startModelServer();
  onTestFinished(() => server.close());
  return server;
}
