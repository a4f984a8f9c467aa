import { existsSync } from "node:fs";
import type { JournalEvent } from "../../../contracts/events/event.ts";
import { fold } from "../../../fold/fold.ts";
import { toHead } from "../../../fold/head.ts";
import { emptyRunState, type RunState } from "../../../fold/state/run-state.ts";
import { isOver } from "../../../fold/waiting.ts";
import { exportDamaged } from "../../../journal/errors.ts";
import type {
  ExportHeader,
  ExportText,
  ExportTrailer,
  Salvage,
} from "../../../journal/export/export-format.ts";
import { RunImport } from "../../../journal/export/run-import.ts";
import type { Machine } from "../../machine/machine.ts";
import { shapeOf } from "./registry.ts";
import { readRecipe } from "./run-recipe.ts";

/** One run that was imported. */
export interface ImportedRun {
  readonly run: string;
  readonly events: number;
  /** What was missing when the run was exported. */
  readonly salvage: Salvage | undefined;
  /** Where the agents of the run start; it may be of another machine. */
  readonly cwd: string;
  readonly isCwdHere: boolean;
  /** Whether `resume` has something to go on with. */
  readonly isResumable: boolean;
}

/** A run that was taken in and can be carried on, or looked at. */
export interface UnderstoodRun {
  /** Gives the run its name. */
  publish(): ImportedRun;
}

/** Takes in the rows of one run, and understands them before they become a run. */
export class ArrivingRun {
  readonly #name: string;
  readonly #header: ExportHeader;
  readonly #import: RunImport;
  readonly #state: RunState;
  #trailer: ExportTrailer | undefined;

  /** `name` is that of the export. Raises STORE_RUN_EXISTS and STORE_* errors. */
  constructor(machine: Machine, name: string, header: ExportHeader) {
    this.#name = name;
    this.#header = header;
    this.#state = emptyRunState(header.run);
    this.#import = new RunImport(machine.project.runsDirectory, header.run);
  }

  get id(): string {
    return this.#header.run;
  }

  /** The run that started this one as its child. */
  get parent(): string | undefined {
    return this.#state.run.parent?.run;
  }

  text(text: ExportText): void {
    this.#import.addText(text);
  }

  /** Raises FILE_EXPORT_DAMAGED. */
  event(event: JournalEvent): void {
    if (event.seq === 1 && event.type !== "run-created")
      throw this.#damaged("its first event is not the creation of a run");
    try {
      fold(this.#state, event);
    } catch (error) {
      throw this.#damaged(`event ${event.seq} makes no sense`, error);
    }
    this.#import.addEvent(event);
  }

  /** All of it was taken in. Raises FILE_EXPORT_DAMAGED. */
  end(trailer: ExportTrailer): void {
    if (this.#state.lastSeq === 0) throw this.#damaged("it holds no event");
    this.#trailer = trailer;
  }

  /** The run as it can be published. Raises FILE_EXPORT_DAMAGED. */
  async understand(): Promise<UnderstoodRun> {
    const trailer = this.#trailer;
    if (trailer === undefined) throw this.#damaged("its end is missing");
    const stepTotal = await this.#countSteps();
    return { publish: () => this.#publish(trailer, stepTotal) };
  }

  #publish(trailer: ExportTrailer, stepTotal: number | undefined): ImportedRun {
    const { run, epoch, salvage } = this.#header;
    const state = this.#state;
    this.#import.publish({
      head: toHead(state, stepTotal ?? 0),
      epoch: Math.max(epoch, state.epoch),
    });
    const { cwd } = state.run;
    return {
      run,
      events: trailer.events,
      salvage,
      cwd,
      isCwdHere: existsSync(cwd),
      isResumable: !isOver(state) && stepTotal !== undefined,
    };
  }

  /** Removes what is not published. */
  discard(): void {
    this.#import.discard();
  }

  /** Steps of the run's definition; undefined when a damaged run has lost it. */
  async #countSteps(): Promise<number | undefined> {
    const { run } = this.#state;
    const text = this.#import.text(run.definitionHash);
    if (text === undefined) {
      if (this.#header.salvage !== undefined) return undefined;
      throw this.#damaged("the definition of the run is missing");
    }
    try {
      const { definition } = await readRecipe(run.id, text);
      const shape = await shapeOf(definition);
      return shape.setup(definition, run).stepTotal;
    } catch (error) {
      throw this.#damaged("the definition of the run cannot be read", error);
    }
  }

  #damaged(problem: string, cause?: unknown): Error {
    return exportDamaged({ file: this.#name, problem }, cause === undefined ? {} : { cause });
  }
}
