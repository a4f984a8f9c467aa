/** A tool could not do what it was asked for: the model is told why, and goes on. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}
