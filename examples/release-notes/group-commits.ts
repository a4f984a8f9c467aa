import type { AgentFunctionInput } from "troupe";

const HEADINGS = ["Breaking", "Added", "Fixed", "Changed"] as const;

type Heading = (typeof HEADINGS)[number];

interface Commit {
  readonly hash: string;
  readonly tags: string;
  readonly subject: string;
}

/** Groups the lines of `git log` (hash, tags, subject) down to the newest tag into a Markdown list. */
export function groupCommits({ prompt }: AgentFunctionInput): string {
  const history = prompt.split("\n").filter(Boolean).map(toCommit);
  const newestTag = history.findIndex(({ tags }) => tags.includes("tag: "));
  const commits = newestTag === -1 ? history : history.slice(0, newestTag);
  if (commits.length === 0) throw new Error("there is no commit since the last tag");
  const groups = Map.groupBy(commits, ({ subject }) => headingOf(subject));
  return HEADINGS.flatMap((heading) => {
    const lines = (groups.get(heading) ?? []).map(toLine);
    return lines.length === 0 ? [] : [`### ${heading}\n\n${lines.join("\n")}`];
  }).join("\n\n");
}

function toCommit(line: string): Commit {
  const [hash = "", tags = "", ...subject] = line.split("\t");
  return { hash, tags, subject: subject.join(" ") };
}

/** By conventional prefix (`feat(api)!: ...`), else by the first word. */
function headingOf(subject: string): Heading {
  if (/^\w+(\([^)]*\))?!:/.test(subject)) return "Breaking";
  if (/^(feat\b|add)/i.test(subject)) return "Added";
  return /^fix/i.test(subject) ? "Fixed" : "Changed";
}

function toLine({ hash, subject }: Commit): string {
  const text = subject.replace(
    /^(feat|fix|chore|docs|refactor|perf|test|build|ci)(\([^)]*\))?!?: */i,
    "",
  );
  return `- ${text.charAt(0).toUpperCase()}${text.slice(1)} (${hash})`;
}
