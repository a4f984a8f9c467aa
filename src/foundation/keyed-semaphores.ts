import type { Semaphore } from "./semaphore.ts";

/** A semaphore for each name, made when it is first asked for. */
export function keyedSemaphores(create: () => Semaphore): (name: string) => Semaphore {
  const made = new Map<string, Semaphore>();
  return (name) => {
    const known = made.get(name) ?? create();
    made.set(name, known);
    return known;
  };
}
