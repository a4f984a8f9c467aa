import type { Lesson, Trajectory, TrajectorySpec } from "../../contracts/trajectory.ts";
import type { Machine } from "../machine/machine.ts";
import { readTrajectories } from "./trajectory-files.ts";
import { trajectoryDirectories, trajectoryPlace } from "./trajectory-place.ts";

// What earlier work teaches a run that begins: the retrospectives whose words fit its task best.

const MOST_LESSONS = 3;
const LESSON_CHARS = 2000;
/** The newest trajectories that are looked at. */
const MOST_TRAJECTORIES = 1000;
const MOST_WORDS = 50;
/** Shorter words say nothing of what a task is about. */
const LEAST_CHARS = 4;

/** What is remembered of the work that is most like a task, the best first; nothing where none is like it. */
export async function lessonsFor(
  machine: Machine,
  { run, spec }: { readonly run: string; readonly spec: Pick<TrajectorySpec, "dataDir"> },
  task: string,
): Promise<readonly Lesson[]> {
  const words = wordsOf(task);
  const own = trajectoryPlace(machine, spec).directory;
  const directories = new Set([own, ...trajectoryDirectories(machine, undefined)]);
  const { files } = await readTrajectories([...directories]);
  return files
    .slice(0, MOST_TRAJECTORIES)
    .filter(({ trajectory }) => trajectory.workflowId !== run)
    .flatMap(({ trajectory }) => {
      const text = rememberedOf(trajectory);
      const share = text === "" ? 0 : likenessOf(words, `${trajectory.task.title}\n${text}`);
      return share === 0 ? [] : [{ share, lesson: { of: trajectory.id, text } }];
    })
    .toSorted((left, right) => right.share - left.share)
    .slice(0, MOST_LESSONS)
    .map(({ lesson }) => lesson);
}

function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.filter(({ length }) => length >= LEAST_CHARS))].slice(0, MOST_WORDS);
}

/** How many of the words stand in a text; 0 unless two do, or all. */
function likenessOf(words: readonly string[], text: string): number {
  const lower = text.toLowerCase();
  const found = words.filter((word) => lower.includes(word)).length;
  return found >= Math.min(2, words.length) ? found : 0;
}

/** What is to be remembered of a trajectory; empty where nobody has looked back at it. */
function rememberedOf({ status, task, retrospective }: Trajectory): string {
  if (retrospective === undefined) return "";
  const { summary, challenges = [], learnings = [], suggestions = [] } = retrospective;
  const listed = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`${title}:\n${lines.map((line) => `- ${line}`).join("\n")}`];
  return [
    `${task.title} (${status})`,
    summary,
    ...listed("What was learned", learnings),
    ...listed("What went wrong", challenges),
    ...listed("What to do another time", suggestions),
  ]
    .join("\n\n")
    .slice(0, LESSON_CHARS)
    .toWellFormed();
}
