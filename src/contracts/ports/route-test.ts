/** Decides in code whether a task goes on to the agent of a route (PAT-handoff-2). */
export interface RouteTest {
  /** The name under which routes have it as `test`. */
  readonly name: string;
  /** Whether the text of a turn without DONE and HANDOFF is for that agent. Its answer is journaled: it is not asked again. */
  test(text: string): boolean | Promise<boolean>;
}
