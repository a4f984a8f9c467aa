import { z } from "zod";
import { readBelievedJson, replacePrivateFile } from "../machine/place/private-file.ts";
import { backgroundUnreadable } from "./errors.ts";

const backgroundRun = z.object({
  run: z.string(),
  /** Directory where its agents start. */
  cwd: z.string(),
  /** Root of its project. */
  project: z.string(),
  /** `.troupe` of its project, or what TROUPE_DIR named. */
  troupeDirectory: z.string(),
  workflow: z.string(),
  instance: z.string(),
  /** `taking`: a daemon was about to take it; `held`: it had it; `given-up`: nobody takes it by himself. */
  status: z.enum(["taking", "held", "given-up"]),
  /** Daemons that died over it in a row without anything of it being finished. */
  deaths: z.number(),
  /** What of it was finished when it was taken last. */
  finished: z.number(),
  /** Whether the project was trusted for this run: a later daemon resumes it with the same trust. */
  trustsProject: z.boolean().exactOptional(),
  /** Why it was given up. */
  problem: z.string().exactOptional(),
});

/** A run that the daemon is to carry out, also after a crash or a restart of the machine. */
export type BackgroundRun = z.infer<typeof backgroundRun>;

const backgroundFile = z.object({ v: z.literal(1), runs: z.array(backgroundRun) });

/** The list of background runs in the hands of the daemon, which alone writes it. */
export interface BackgroundRuns {
  all(): readonly BackgroundRun[];
  /** Puts a run on the list or changes it; durable when it returns. Raises errors of the system. */
  put(run: BackgroundRun): void;
  /** Takes a run off the list; durable when it returns. Raises errors of the system. */
  remove(run: Pick<BackgroundRun, "run" | "troupeDirectory">): void;
}

/** Opens the list. Raises DAEMON_STATE_UNREADABLE. */
export function openBackgroundRuns(file: string): BackgroundRuns {
  const runs = new Map(readBackgroundRuns(file).map((run) => [keyOf(run), run]));
  const write = () => {
    const text = JSON.stringify({ v: 1, runs: [...runs.values()] }, null, 2);
    replacePrivateFile(file, `${text}\n`);
  };
  return {
    all: () => [...runs.values()],
    put: (run) => {
      runs.set(keyOf(run), run);
      write();
    },
    remove: (run) => {
      if (runs.delete(keyOf(run))) write();
    },
  };
}

/** The runs on the list, for whoever only looks. Raises DAEMON_STATE_UNREADABLE. */
export function readBackgroundRuns(file: string): readonly BackgroundRun[] {
  // Whoever may write to the list decides what is run here.
  const value = readBelievedJson(file, (problem, cause) =>
    backgroundUnreadable({ file, problem }, { cause }),
  );
  if (value === undefined) return [];
  const parsed = backgroundFile.safeParse(value);
  if (parsed.success) return parsed.data.runs;
  throw backgroundUnreadable({ file, problem: "it has another form" });
}

function keyOf({ run, troupeDirectory }: Pick<BackgroundRun, "run" | "troupeDirectory">): string {
  return `${troupeDirectory}:${run}`;
}
