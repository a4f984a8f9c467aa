import type { RunRuntime } from "../../../engine/run-runtime.ts";
import type { DescriptorBounds } from "../../../host/sandbox/program-places.ts";

/** Tells a run once, and for each of its owners, that its programs wait for each other. */
export interface ShortageNote {
  /** Programs wait for descriptors. */
  add(bounds: DescriptorBounds): void;
  /** From here on it is told; what came before at once. */
  follow(runtime: Pick<RunRuntime, "append" | "onLive" | "onStopped">): void;
}

/** A note that nothing was told yet. */
export function createShortageNote(): ShortageNote {
  let found: DescriptorBounds | undefined;
  let runtime: Pick<RunRuntime, "append"> | undefined;
  let isTold = false;
  const tell = () => {
    if (runtime === undefined || found === undefined || isTold) return;
    isTold = true;
    runtime.append({ type: "log", note: "descriptors", level: "warning", text: textOf(found) });
  };
  return {
    add: (bounds) => {
      found ??= bounds;
      tell();
    },
    follow: (followed) => {
      followed.onLive(() => {
        runtime = followed;
        tell();
      });
      followed.onStopped(async () => {
        runtime = undefined;
      });
    },
  };
}

function textOf({ limit, programs }: DescriptorBounds): string {
  const some = programs === 1 ? "one program" : `${programs} programs`;
  return `only ${limit} files may be open here at once (ulimit -n), enough for ${some} at a time: the others wait`;
}
