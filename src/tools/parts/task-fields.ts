import { z } from "zod";

const MAX_TITLE_CHARS = 500;
const MAX_OWNER_CHARS = 64;
const MAX_AFTER = 100;

/** A task by its number. */
export const taskId = z.int().min(1).describe("Number of the task");

/** What a task says of itself. */
export const taskTitle = z
  .string()
  .trim()
  .min(1)
  .max(MAX_TITLE_CHARS)
  .describe("What is to be done, in one line");

/** Tasks that must be completed first. */
export const taskAfter = z
  .array(taskId)
  .max(MAX_AFTER)
  .describe("Numbers of the tasks that must be completed before it begins");

/** Who alone may do a task. */
export const taskOwner = z
  .string()
  .trim()
  .max(MAX_OWNER_CHARS)
  .describe("Id of the only agent that may do it, or user for a person; empty for anybody");
