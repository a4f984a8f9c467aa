import { z } from "zod";

const MAX_LIMIT = 500;

/** Most messages of an answer. */
export const messageLimit = z.number().int().min(1).max(MAX_LIMIT).describe("Most messages");

/** A document other than the main one. */
export const documentName = z.string().min(1).describe("Another document than the main one");

/** The id or seq of a message, in any form in which an agent may hand it on. */
export const messagePlace = z.union([z.string().min(1), z.number().int().min(0)], {
  error: "expected the id or seq of a message",
});
