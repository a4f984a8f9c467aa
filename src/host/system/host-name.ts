import { hostname } from "node:os";

/** The name of this machine or container in one word, `-` where it has none. */
export function readHostName(): string {
  const name = hostname().replaceAll(/\s/g, "_").slice(0, 255);
  return name === "" ? "-" : name;
}
