import type { WorkflowDefinition } from "../../contracts/definition.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import type { Problem, ProblemOptions } from "../problems/problem.ts";
import type { EditorSupport } from "../schema/steps-json-schema.ts";
import type { MapNode, SourceRange } from "../source/source-node.ts";
import type { LoadOptions } from "./load-options.ts";
import type { BackendOrigin } from "./resolve-backend.ts";

/** A workflow file whose shape is known. */
export interface FileReading {
  readonly root: MapNode;
  /** The whole text. */
  readonly text: string;
  /** The name of the file as it was given. */
  readonly file: string;
  readonly options: LoadOptions;
  /** Ends the reading when there are as many problems as anybody reads. */
  report(error: TroupeError, range: SourceRange, options?: ProblemOptions): void;
  /** Reads another workflow, which this one runs. */
  readOther(text: string, file: string, options: LoadOptions): OtherWorkflow;
  /** Whether no problem so far is an error. */
  isOk(): boolean;
}

/** What another workflow file comes to. */
export interface OtherWorkflow {
  /** Present when no problem is an error. */
  readonly definition: WorkflowDefinition | undefined;
  readonly problems: readonly Problem[];
}

/** What a file without errors comes to. */
export interface ReadWorkflow {
  readonly definition: WorkflowDefinition;
  /** What decided on the backend of each agent. */
  readonly backendOrigins: ReadonlyMap<string, BackendOrigin>;
}

/** What a workflow in TypeScript says beside its head and its agents. */
export interface SaidInCode {
  readonly settings: { readonly [key: string]: unknown };
  readonly steps: { readonly [id: string]: object } | undefined;
}

/** A method of the builder with its arguments. */
export interface BuilderCall {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** How files of one shape are told from those of others, before anything is loaded that reads them. */
export interface ShapeMark {
  readonly name: WorkflowDefinition["shape"];
  /** Present when its keys are in snake_case and its steps have types; they may run files of any shape and tool. */
  readonly isTyped?: true;
  /** Whether the keys of a file are those of this shape, and of none before it. */
  fits(root: MapNode): boolean;
  /** Names of the patterns that such a file is read against. Defaults to none; those of typed files to all. */
  patternsIn?(root: MapNode): readonly string[];
}

/** A shape of files; what reads them is loaded when there is one. */
export interface KnownShape extends ShapeMark {
  loadFile(): Promise<FileShape>;
}

/** A shape of files whose reader is loaded. */
export interface ReadableShape extends ShapeMark, FileShape {}

/** The same with its reader. */
export async function toReadable(shape: KnownShape): Promise<ReadableShape> {
  return { ...shape, ...(await shape.loadFile()) };
}

/** How files of one shape are written and read: the part of a shape that knows nothing of runs. */
export interface FileShape {
  /** The call of the builder in TypeScript that ends in such a workflow. Absent: there are files of it only. */
  builderCall?(said: SaidInCode): BuilderCall;
  loadEditors(): Promise<EditorSupport>;
  /** Checks all of a file and resolves it; undefined when something is wrong. */
  read(reading: FileReading): ReadWorkflow | undefined;
}
