import type { Key } from "./key.ts";
import type { PlacedRow } from "./live-row.ts";
import { type ViewState, withNotice } from "./view-state.ts";

const MAX_CHARACTERS = 200;

/** The rows that are looked through, and when. */
interface Searched {
  readonly rows: readonly PlacedRow[];
  readonly nowMs: number;
}

/** The view after a key while a text is sought: what is typed selects the first row that has it. */
export function pressInSearch(view: ViewState, key: Key, scene: Searched): ViewState {
  const { search = "" } = view;
  if (key.kind !== "named") {
    const text = (search + key.text).slice(0, MAX_CHARACTERS);
    return selectMatch({ ...view, search: text }, text, { ...scene, isNext: false });
  }
  switch (key.name) {
    case "enter":
      return { ...view, search: undefined, sought: search };
    case "escape":
      return { ...view, search: undefined };
    case "backspace":
      return { ...view, search: [...search].slice(0, -1).join("") };
    case "delete-line":
      return { ...view, search: "" };
    default:
      return view;
  }
}

/** The view with the next row selected that has what was sought last. */
export function searchNext(view: ViewState, scene: Searched): ViewState {
  if (view.sought === "")
    return withNotice(view, "nothing was sought yet: / and a text", scene.nowMs);
  return selectMatch(view, view.sought, { ...scene, isNext: true });
}

function selectMatch(
  view: ViewState,
  text: string,
  { rows, nowMs, isNext }: Searched & { readonly isNext: boolean },
): ViewState {
  if (text === "") return view;
  const { selection } = view;
  const at = selection.status === "on" ? rows.findIndex(({ id }) => id === selection.id) : -1;
  const from = isNext ? at + 1 : Math.max(0, at);
  const found = [...rows.slice(from), ...rows.slice(0, from)].find((row) => hasText(row, text));
  if (found === undefined) return withNotice(view, `no row has "${text}"`, nowMs);
  return { ...view, notice: undefined, selection: { status: "on", id: found.id, armedAtMs: 0 } };
}

function hasText({ name, who, text }: PlacedRow, sought: string): boolean {
  return `${name} ${who} ${text}`.toLowerCase().includes(sought.toLowerCase());
}
