import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { plainCut } from "../../../../../src/agents/backends/model/files/cut-text.ts";
import { FileAccess } from "../../../../../src/agents/backends/model/files/file-access.ts";
import { BackgroundJobs } from "../../../../../src/agents/backends/model/tools/background-jobs.ts";
import type { ToolPlace } from "../../../../../src/agents/backends/model/tools/model-tool.ts";
import { modelTools } from "../../../../../src/agents/backends/model/tools/registry.ts";
import type { AgentConstraints } from "../../../../../src/contracts/agent.ts";
import type { Confinement } from "../../../../../src/contracts/host.ts";
import type { Clock } from "../../../../../src/foundation/clock.ts";
import type { Json } from "../../../../../src/foundation/json.ts";
import { createTestHost } from "../../test-host.ts";

/** The tools of an agent in a directory of its own. */
export interface UsedTools {
  readonly cwd: string;
  /** The place without links around it. */
  readonly place: ToolPlace;
  /** What permission would be asked for. */
  asks(tool: string, input: Json): Promise<Json>;
  /** Uses a tool that is allowed; the text for the model. */
  use(tool: string, input: Json, signal?: AbortSignal): Promise<string>;
}

const { PATH = "" } = process.env;

export async function usedTools(
  bounds: {
    readonly constraints?: AgentConstraints;
    readonly confine?: (cwd: string) => Confinement;
    readonly clock?: Clock;
  } = {},
): Promise<UsedTools> {
  const cwd = await mkdtemp(join(tmpdir(), "troupe-tools-"));
  const host = createTestHost(bounds.clock);
  const jobs = new BackgroundJobs(host);
  onTestFinished(async () => {
    await jobs.close();
    await rm(cwd, { recursive: true, force: true });
  });
  const { constraints = {} } = bounds;
  const files = new FileAccess({ cwd, constraints, confine: bounds.confine?.(cwd) });
  const place: ToolPlace = { session: { cwd }, env: { PATH }, host, files, jobs, web: undefined };
  const prepared = async (name: string, input: Json) => {
    const tool = modelTools.find((each) => each.name === name);
    const call = await tool?.prepare(input, place);
    if (call === undefined || typeof call === "string") throw new Error(call ?? "no such tool");
    return call;
  };
  return {
    cwd,
    place,
    asks: async (name, input) => (await prepared(name, input)).asks,
    use: async (name, input, signal = new AbortController().signal) => {
      const told = await (await prepared(name, input)).run({
        key: "a call",
        signal,
        callTool: async () => null,
        ask: async () => "yes",
        plan: async () => ({ isApproved: true }),
        emit: () => {},
      });
      return typeof told === "string" ? told : plainCut(told);
    },
  };
}
