import { isClosed, type TeamTask } from "./task.ts";
import type { WrittenTask } from "./written-list.ts";

/** What a person did to the list. */
export type ListEdit =
  | { readonly kind: "add"; readonly task: WrittenTask }
  | {
      readonly kind: "change";
      readonly id: number;
      readonly fields: Partial<Pick<WrittenTask, "title" | "status" | "owner" | "after">>;
    }
  | { readonly kind: "remove"; readonly id: number };

/** What differs between what was written and what stands there now, in the order of the lines; what was removed comes last. */
function editsBetween(
  base: readonly WrittenTask[],
  now: readonly WrittenTask[],
): readonly ListEdit[] {
  const before = new Map(base.map((task) => [task.id, task]));
  const present = new Set(now.map(({ id }) => id));
  const changed = now.flatMap((task): readonly ListEdit[] => {
    const { id } = task;
    const known = id === undefined ? undefined : before.get(id);
    if (id === undefined || known === undefined) return [{ kind: "add", task }];
    const fields = differing(known, task);
    return Object.keys(fields).length === 0 ? [] : [{ kind: "change", id, fields }];
  });
  const removed = base.flatMap(({ id }): readonly ListEdit[] =>
    id === undefined || present.has(id) ? [] : [{ kind: "remove", id }],
  );
  return [...changed, ...removed];
}

function differing(before: WrittenTask, now: WrittenTask): Partial<WrittenTask> {
  return {
    ...(before.title === now.title ? {} : { title: now.title }),
    ...(before.status === now.status ? {} : { status: now.status }),
    ...(before.owner === now.owner ? {} : { owner: now.owner }),
    ...(before.after.join() === now.after.join() ? {} : { after: now.after }),
  };
}

/**
 * What a person did, against that of the texts which Troupe wrote that the person most likely had before: the last one,
 * unless an older one is nearer and the last one differs in more than one place. An editor that saves an old copy undoes nothing then.
 */
export function editsOf(
  written: readonly (readonly WrittenTask[])[],
  now: readonly WrittenTask[],
): readonly ListEdit[] {
  let best = editsBetween(written.at(-1) ?? [], now);
  if (best.length <= 1) return best;
  for (const base of written.slice(0, -1).reverse()) {
    const edits = editsBetween(base, now);
    if (edits.length < best.length) best = edits;
  }
  return best;
}

/**
 * What somebody says in lines of the list beside other text: new tasks, those that are cancelled, and those that are over
 * and get another chance. All else that it says of tasks repeats what is known.
 */
export function editsOfText(
  tasks: readonly TeamTask[],
  said: readonly WrittenTask[],
): readonly ListEdit[] {
  return said.flatMap((task): readonly ListEdit[] => {
    const { id, status } = task;
    const known = tasks.find((each) => each.id === id);
    if (id === undefined) return [{ kind: "add", task }];
    if (known === undefined) return [];
    const counts = isClosed(known) ? status === "pending" : status === "cancelled";
    return counts ? [{ kind: "change", id, fields: { status } }] : [];
  });
}

/** Whom somebody has made the owner of a task. */
export function ownersIn(edits: readonly ListEdit[]): readonly string[] {
  return edits.flatMap((edit) => {
    if (edit.kind === "remove") return [];
    const { owner } = edit.kind === "add" ? edit.task : edit.fields;
    return owner == null ? [] : [owner];
  });
}
