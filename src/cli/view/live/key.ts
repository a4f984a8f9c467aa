/** Keys that do something beside writing. */
export type KeyName =
  | "up"
  | "down"
  | "left"
  | "right"
  | "home"
  | "end"
  | "page-up"
  | "page-down"
  | "enter"
  | "new-line"
  | "escape"
  | "tab"
  | "backspace"
  | "delete"
  | "delete-word"
  | "delete-line"
  | "interrupt"
  | "suspend"
  | "end-of-input";

/** What a person did at the keyboard. */
export type Key =
  | { readonly kind: "named"; readonly name: KeyName }
  /** Characters that came at once: one when typed, several when the line is slow or something types for a person. */
  | { readonly kind: "text"; readonly text: string }
  /** A text from the clipboard, as the terminal marks it. */
  | { readonly kind: "paste"; readonly text: string };
