export { defineError, TroupeError } from "./foundation/errors.ts";
