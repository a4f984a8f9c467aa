import type { TurnUpdate } from "../../../contracts/backend.ts";

/** Reads what an agent's program says during one turn: pure, so that recorded transcripts prove it. */
export interface TurnReader {
  /** One whole line of the program, as it was printed; what is not understood gives nothing and never raises. */
  take(line: string): readonly TurnUpdate[];
}
