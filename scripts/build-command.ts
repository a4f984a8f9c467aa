// Puts the bundled command into the package that is being built.
import { join } from "node:path";
import { bundleCommand } from "./bundle-command.ts";

const checkout = join(import.meta.dirname, "..");
await bundleCommand(checkout, join(checkout, "dist", "command"));
