import type { BackendTraits } from "../../../contracts/backend.ts";
import type { RefusedArguments } from "./refused-arguments.ts";

/** What is known of a backend before one is made: whoever deals with backends asks here, not by name. */
export interface BackendDescriptor extends BackendTraits {
  /** In workflows and configurations. */
  readonly name: string;
  /** Absent: it is part of troupe, or runs what the user names. */
  readonly program?: DescribedProgram;
  /** Whether it may run agents for which nothing else is chosen (WF-12); the first of them that is ready does. */
  readonly isChosenByItself?: true;
  /**
   * What its program takes from the directory that it works in and from those above it: it can make it start other
   * programs, talk to other servers or ask for less. Plain instructions are not in it.
   */
  readonly obeys?: readonly string[];
  /** Present when it may be any program: what those of the other backends obey, it may obey too. */
  readonly isAnyProgram?: true;
  /**
   * How long its client lets a call of a tool run, in ms, as Troupe starts it (COL-15): where the client has a setting
   * for that, it is raised. Infinity where nothing gives up. Absent: nobody knows.
   */
  readonly toolCallTimeoutMs?: number;
  /** What its client puts before the names of Troupe's tools when it shows them to its model. Absent: nobody knows. */
  readonly toolPrefix?: string;
  /** What the configuration may say of it. Defaults to what it may say of a program. */
  readonly configKeys?: readonly string[];
  /** Present when it is a server of models and no program: `baseUrl` says where. */
  readonly isServer?: true;
  /** Names of tools that its agents have beside those that every loop knows. Defaults to none. */
  readonly tools?: readonly string[];
  /** What nobody may add to its command line. Absent: the program is the user's own. */
  readonly refuses?: RefusedArguments;
}

/** A backend that is a program of somebody else. */
export interface ProgramDescriptor extends BackendDescriptor {
  readonly program: DescribedProgram;
  readonly refuses: RefusedArguments;
}

/** An agent that comes as a program of somebody else. */
export interface DescribedProgram {
  /** What is looked up on PATH, unless the configuration names another command. */
  readonly file: string;
  /** How to get it, as one command or address. */
  readonly install: string;
  /** How to sign in. */
  readonly signIn: string;
  /** The version that troupe was tested with; absent for programs that were never driven for real. */
  readonly tested?: string;
}
