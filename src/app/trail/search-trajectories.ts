import type { Trajectory } from "../../contracts/trajectory.ts";
import type { TrajectoryFile } from "./trajectory-files.ts";

/** A trajectory in which all words of a search occur. */
export interface FoundTrajectory extends TrajectoryFile {
  /** Higher for words in what is to be remembered than for words in what happened. */
  readonly score: number;
  /** The first text in which one of the words stands. */
  readonly excerpt: string;
}

const EXCERPT_CHARS = 160;

/**
 * The trajectories in which all words occur, in any case of letters and as part of longer words, the best first and
 * among equals in the order in which they are given.
 */
export function searchTrajectories(
  files: readonly TrajectoryFile[],
  words: readonly string[],
): readonly FoundTrajectory[] {
  const sought = words.flatMap((word) => word.toLowerCase().split(/\s+/)).filter(Boolean);
  if (sought.length === 0) return [];
  return files
    .flatMap((file) => match(file, sought) ?? [])
    .toSorted((left, right) => right.score - left.score);
}

function match(file: TrajectoryFile, sought: readonly string[]): FoundTrajectory | undefined {
  const texts = weighedTexts(file.trajectory);
  let score = 0;
  for (const word of sought) {
    const weights = texts.map(({ text, weight }) =>
      text.toLowerCase().includes(word) ? weight : 0,
    );
    const most = weights.reduce((left, right) => Math.max(left, right), 0);
    if (most === 0) return undefined;
    score += most;
  }
  const first = texts.find(({ text }) => sought.some((word) => text.toLowerCase().includes(word)));
  return { ...file, score, excerpt: excerptOf(first?.text ?? "", sought) };
}

interface WeighedText {
  readonly text: string;
  readonly weight: number;
}

/** All that may be remembered of a trajectory, what tells most first. */
function weighedTexts(trajectory: Trajectory): readonly WeighedText[] {
  const { id, task, retrospective, chapters, tags, workflowId = "", filesChanged } = trajectory;
  const { summary = "", approach = "" } = retrospective ?? {};
  const { challenges = [], learnings = [], suggestions = [], decisions = [] } = retrospective ?? {};
  return [
    ...weighed(8, [task.title, summary, ...learnings, ...challenges, ...suggestions]),
    ...weighed(
      6,
      decisions.flatMap(({ question, chosen, reasoning }) => [question, chosen, reasoning]),
    ),
    ...weighed(4, [task.description ?? "", approach, id, workflowId, ...tags, ...filesChanged]),
    ...weighed(
      2,
      chapters.flatMap(({ title, agentName }) => [title, agentName]),
    ),
    ...weighed(
      1,
      chapters.flatMap(({ events }) => events.map(({ content }) => content)),
    ),
  ];
}

function weighed(weight: number, texts: readonly string[]): readonly WeighedText[] {
  return texts.filter((text) => text !== "").map((text) => ({ text, weight }));
}

function excerptOf(text: string, sought: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = Math.min(...sought.map((word) => lower.indexOf(word)).filter((index) => index >= 0));
  const start = Math.max(0, at - EXCERPT_CHARS / 2);
  const part = text.slice(start, start + EXCERPT_CHARS).toWellFormed();
  const [before, after] = [start > 0 ? "…" : "", start + EXCERPT_CHARS < text.length ? "…" : ""];
  return `${before}${part.replace(/\s+/g, " ").trim()}${after}`;
}
