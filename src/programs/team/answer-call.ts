import { z } from "zod";
import type { RequestReceived } from "../../contracts/events/request-events.ts";
import type { Json } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { exitRefused, taskRefused, titleUnfit } from "./errors.ts";
import { titleProblem } from "./markdown-list.ts";
import { isClosed, ownerOf, type TaskStatus, type TeamTask } from "./task.ts";
import type { TaskBoard, TaskPatch } from "./task-board.ts";

/** How a team ends. */
export interface TeamExit {
  readonly summary: string;
  readonly forced: boolean;
}

/** What calls of tools are about. */
export interface TeamDesk {
  readonly board: TaskBoard;
  readonly leader: string;
  readonly onExit: (exit: TeamExit) => void;
}

const ids = z.array(z.int());
const created = z.object({
  title: z.string(),
  after: ids.optional(),
  owner: z.string().optional(),
});
const updated = z.object({
  id: z.int(),
  title: z.string().optional(),
  after: ids.optional(),
  owner: z.string().optional(),
  status: z.enum(["pending", "completed", "failed", "cancelled"]).optional(),
  result: z.string().optional(),
});
const claimed = z.object({ id: z.int().optional() });
const exited = z.object({ summary: z.string(), force: z.boolean().default(false) });

type Call = Pick<RequestReceived, "agent" | "tool" | "arguments">;

/** Carries out a call of a tool; what its agent is answered. Raises TEAM_* errors. */
export function answerCall(desk: TeamDesk, { agent, tool, arguments: given }: Call): Json {
  const { board } = desk;
  switch (tool) {
    case "task_list":
      return { tasks: board.tasks.map(toEntry) };
    case "task_create": {
      const { title, after, owner } = created.parse(given);
      return toEntry(
        board.create({ title: titleInOneLine(title), after, owner: ownerNamed(owner) }, agent),
      );
    }
    case "task_update":
      return toEntry(update(desk, agent, updated.parse(given)));
    case "task_claim":
      return toEntry(board.claim(agent, claimed.parse(given).id));
    case "team_exit":
      return exit(desk, exited.parse(given));
    default:
      throw new Error(`a team knows no tool ${tool}`);
  }
}

function update(
  { board, leader }: TeamDesk,
  agent: string,
  { id, title, after, owner, status, result }: z.output<typeof updated>,
): TeamTask {
  const task = board.get(id);
  const refuse = (problem: string) => taskRefused({ task: id, problem });
  if (agent !== leader && !board.isHeld(id, agent))
    throw refuse(`only ${leader} and whoever has it may change it`);
  if (status === "cancelled" && isClosed(task)) throw refuse(`it is ${task.status}`);
  const patch: TaskPatch = {
    ...present({
      ...{ status, result },
      title: title && titleInOneLine(title),
      after: after && [...new Set(after)],
      assigned: owner === undefined ? undefined : ownerNamed(owner),
    }),
  };
  const isMoved = owner !== undefined && status === undefined && task.status === "in_progress";
  const back: { readonly status?: TaskStatus } =
    isMoved && ownerNamed(owner) !== task.holder ? { status: "pending" } : {};
  return board.change(id, { ...patch, ...back }, agent);
}

function exit({ board, onExit }: TeamDesk, { summary, force }: z.output<typeof exited>): Json {
  const open = board.open.map(({ id }) => id);
  if (open.length > 0 && !force) throw exitRefused({ open });
  onExit({ summary, forced: open.length > 0 });
  return { ended: true, open, reminder: EXIT_REMINDER };
}

/** What the leader is told when its team has ended. */
const EXIT_REMINDER =
  "Delegate mode has ended. All team tasks should be complete. Summarize the work done and any remaining items.";

/** A task as agents see it. */
function toEntry(task: TeamTask): Json {
  const { id, title, status, after, result, failures } = task;
  return { id, title, status, owner: ownerOf(task), after: [...after], result, failures };
}

/** A title in one line. Raises TEAM_TITLE_UNFIT. */
function titleInOneLine(text: string): string {
  const title = text.replace(/[\s\p{C}]+/gu, " ").trim();
  const problem = title === "" ? "it is empty" : titleProblem(title);
  if (problem !== undefined) throw titleUnfit({ title, problem });
  return title;
}

function ownerNamed(owner: string | undefined): string | null {
  const name = (owner ?? "")
    .replace(/^@/, "")
    .replace(/[\s\p{C};()]+/gu, " ")
    .trim();
  return name === "" ? null : name;
}
