import type { CommandRequest, CommandResult, Host } from "../../../../contracts/host.ts";
import { type BoundedOutput, createBoundedOutput } from "../../../../foundation/bounded-output.ts";
import { type CutText, cutBefore, MAX_REST_CHARS, plainCut } from "../files/cut-text.ts";
import { ToolFailure } from "../files/tool-failure.ts";

const MAX_JOBS = 10;
/** Most characters of a command's output that the model is shown. */
export const MAX_SHOWN_CHARS = 30_000;

/** A program that goes on while its agent does something else. */
interface Job {
  readonly output: BoundedOutput;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
  state: "running" | "stopped" | "failed" | CommandResult;
}

/**
 * Owns what the tools of a session left running. J1: all of it ends with the session. J2: the end of its output is
 * kept, and can be read after its end.
 */
export class BackgroundJobs {
  readonly #host: Host;
  readonly #jobs = new Map<string, Job>();
  #started = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Starts a program; its name is for the model. Raises ToolFailure when too many run. */
  start(request: CommandRequest): string {
    const running = [...this.#jobs.values()].filter(({ state }) => state === "running").length;
    if (running >= MAX_JOBS)
      throw new ToolFailure(
        `${running} commands run in the background already; stop one by TaskStop`,
      );
    this.#started += 1;
    const id = `job-${this.#started}`;
    const output = createBoundedOutput(MAX_REST_CHARS);
    const abort = new AbortController();
    const onOutput = (_: "stdout" | "stderr", chunk: Uint8Array) => output.push(chunk);
    const job: Job = {
      output,
      abort,
      state: "running",
      ended: this.#host.run({ ...request, maxOutputChars: 0, onOutput }, abort.signal).then(
        (result) => {
          job.state = result;
        },
        (error: unknown) => {
          job.state = abort.signal.aborted ? "stopped" : "failed";
          output.push(Buffer.from(error instanceof Error ? error.message : String(error)));
        },
      ),
    };
    this.#jobs.set(id, job);
    return id;
  }

  /** Whether it is one of these, whatever became of it; an agent is none. */
  has(id: string): boolean {
    return this.#jobs.has(id) || /^job-\d+$/.test(id);
  }

  /**
   * What it has printed and whether it runs, once it has ended or the signal aborts. What is left out is kept once it has
   * ended: until then it is another text each time. Raises ToolFailure.
   */
  async read(id: string, wait: AbortSignal): Promise<string | CutText> {
    const job = this.#find(id);
    if (!wait.aborted) {
      const waited = Promise.withResolvers<void>();
      const stop = () => waited.resolve();
      wait.addEventListener("abort", stop, { once: true });
      await Promise.race([job.ended, waited.promise]);
      wait.removeEventListener("abort", stop);
    }
    const shown = cutBefore(job.output.read(), MAX_SHOWN_CHARS);
    const head = `${id} ${stateText(job.state)}\n`;
    if (typeof shown === "string") return `${head}${shown}`;
    const cut = { ...shown, before: head };
    return job.state === "running" ? plainCut(cut) : cut;
  }

  /** Ends a program with all that it started. Raises ToolFailure. */
  async stop(id: string): Promise<void> {
    const job = this.#find(id);
    job.abort.abort(new Error("it was stopped"));
    await job.ended;
  }

  /** Ends all of them. Idempotent. */
  async close(): Promise<void> {
    await Promise.all([...this.#jobs.keys()].map((id) => this.stop(id)));
  }

  #find(id: string): Job {
    const job = this.#jobs.get(id);
    if (job !== undefined) return job;
    const known = [...this.#jobs.keys()];
    throw new ToolFailure(
      known.length === 0
        ? `nothing runs in the background; what did has ended with its process`
        : `there is no ${id}; there are ${known.join(", ")}`,
    );
  }
}

function stateText(state: Job["state"]): string {
  if (typeof state === "string") return state === "running" ? "is running" : state;
  if (state.timedOut) return "was ended: its time was up";
  return state.signal === null
    ? `has ended with ${state.exitCode}`
    : `was ended by ${state.signal}`;
}
