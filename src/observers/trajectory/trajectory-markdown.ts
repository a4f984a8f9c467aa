import type {
  Trajectory,
  TrajectoryChapter,
  TrajectoryDecision,
} from "../../contracts/trajectory.ts";

/** A trajectory as a page in Markdown: what it came to first, then how. */
export function trajectoryMarkdown(trajectory: Trajectory): string {
  const { task, chapters, retrospective, commits, filesChanged } = trajectory;
  const sections = [
    [`# Trajectory: ${oneLine(task.title)}`, "", ...headOf(trajectory)],
    task.description === undefined ? [] : section("Task", quoted(task.description)),
    retrospective === undefined
      ? []
      : section("Summary", [
          retrospective.summary,
          "",
          `**Approach:** ${oneLine(retrospective.approach)}`,
        ]),
    section("Decisions", decisionsOf(trajectory).flatMap(decisionLines)),
    section("Chapters", chapters.flatMap(chapterLines)),
    section("Challenges", listed(retrospective?.challenges)),
    section("Learnings", listed(retrospective?.learnings)),
    section("Suggestions", listed(retrospective?.suggestions)),
    section("Commits", listed(commits)),
    section("Changed files", listed(filesChanged)),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n").trimEnd())
    .join("\n\n")}\n`;
}

/** What was decided, as the part of a page. */
export function decisionsMarkdown(trajectory: Trajectory): string {
  const lines = decisionsOf(trajectory).flatMap(decisionLines);
  return lines.length === 0 ? "" : `${lines.join("\n").trimEnd()}\n`;
}

/** All that was decided, in order: what the chapters tell, else what the retrospective does. */
function decisionsOf({ chapters, retrospective }: Trajectory): readonly TrajectoryDecision[] {
  const told = chapters.flatMap(({ events }) =>
    events.flatMap((event) =>
      event.type === "decision" ? [decisionFrom(event.raw, event.content)] : [],
    ),
  );
  return told.length > 0 ? told : (retrospective?.decisions ?? []);
}

/** Other tools write decisions without their parts: then their text is all that is known. */
function decisionFrom(raw: unknown, content: string): TrajectoryDecision {
  return isDecision(raw)
    ? raw
    : { question: content, chosen: content, alternatives: [], reasoning: "not recorded" };
}

function isDecision(raw: unknown): raw is TrajectoryDecision {
  if (typeof raw !== "object" || raw === null) return false;
  const hasTexts = ["question", "chosen", "reasoning"].every(
    (key) => typeof Object.getOwnPropertyDescriptor(raw, key)?.value === "string",
  );
  const { alternatives } = { alternatives: undefined, ...raw };
  return hasTexts && Array.isArray(alternatives);
}

function headOf(trajectory: Trajectory): readonly string[] {
  const { id, status, task, agents, startedAt, completedAt, retrospective } = trajectory;
  const { source } = task;
  const share = retrospective?.confidence;
  return [
    `- **Id:** ${id}`,
    `- **Status:** ${status}`,
    ...(source === undefined ? [] : [`- **Task:** ${oneLine(sourceText(source))}`]),
    ...(share === undefined ? [] : [`- **Confidence:** ${Math.round(share * 100)}%`]),
    `- **Started:** ${startedAt}`,
    ...(completedAt === undefined ? [] : [`- **Ended:** ${completedAt}`]),
    `- **Agents:** ${agents.map(({ name, role }) => oneLine(`${name} (${role})`)).join(", ")}`,
  ];
}

function sourceText({ system, id, url }: NonNullable<Trajectory["task"]["source"]>): string {
  return url === undefined ? `${system} ${id}` : `[${system} ${id}](${url})`;
}

function decisionLines(decision: TrajectoryDecision): readonly string[] {
  const { question, chosen, alternatives, reasoning } = decision;
  const options = alternatives.map((each) => (typeof each === "string" ? each : each.option));
  return [
    `### ${oneLine(question)}`,
    "",
    `- **Chosen:** ${oneLine(chosen)}`,
    ...(options.length === 0 ? [] : [`- **Instead of:** ${oneLine(options.join(", "))}`]),
    `- **Because:** ${oneLine(reasoning)}`,
    "",
  ];
}

function chapterLines(
  { title, agentName, events }: TrajectoryChapter,
  index: number,
): readonly string[] {
  const told = events.filter(
    ({ type, significance }) =>
      significance === "high" || significance === "critical" || type === "decision",
  );
  const rest = events.length - told.length;
  return [
    `### ${index + 1}. ${oneLine(title)}, ${oneLine(agentName)}`,
    "",
    ...told.map(({ type, content }) => `- ${type}: ${oneLine(content)}`),
    ...(rest === 0 ? [] : [`- ${rest} more in trajectory.json`]),
    "",
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`## ${title}`, "", ...lines];
}

function listed(texts: readonly string[] | undefined): readonly string[] {
  return (texts ?? []).map((text) => `- ${oneLine(text)}`);
}

/** A text in a list or a heading: no line of it can pass for one of the page. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function quoted(text: string): readonly string[] {
  return text
    .trim()
    .split("\n")
    .map((line) => `> ${line}`.trimEnd());
}
