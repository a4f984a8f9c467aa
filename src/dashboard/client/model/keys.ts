import { PAGES, type PageName } from "./route.ts";

/** What a key asks for. */
export type KeyAction =
  | { readonly kind: "step" | "marker"; readonly direction: 1 | -1 }
  | { readonly kind: "play" | "start" | "end" | "help" }
  | { readonly kind: "page"; readonly page: PageName };

/** A key with what is held beside it. */
export interface KeyStroke {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** What has the focus: something to type into, something that a key presses, or nothing of the kind. */
export type KeyFocus = "typing" | "control" | "page";

/** What a key means for the run; undefined leaves it to the browser. */
export function actionOf(stroke: KeyStroke, focus: KeyFocus): KeyAction | undefined {
  const { key, shiftKey, altKey, ctrlKey, metaKey } = stroke;
  if (focus === "typing" || altKey || ctrlKey || metaKey) return undefined;
  const page = PAGES[Number(key) - 1];
  if (page !== undefined) return { kind: "page", page };
  switch (key) {
    case "ArrowLeft":
      return { kind: shiftKey ? "marker" : "step", direction: -1 };
    case "ArrowRight":
      return { kind: shiftKey ? "marker" : "step", direction: 1 };
    case "Home":
      return { kind: "start" };
    case "End":
      return { kind: "end" };
    case " ":
      return focus === "control" ? undefined : { kind: "play" };
    case "?":
      return { kind: "help" };
    default:
      return undefined;
  }
}
