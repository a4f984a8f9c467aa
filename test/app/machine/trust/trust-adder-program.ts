// Trusts a directory, as one of several processes that do so at the same time.
import { grantTrust } from "../../../../src/app/machine/trust/trust-store.ts";

const [directory = "", home = ""] = process.argv.slice(2);
grantTrust({ TROUPE_HOME: home }, { directory, hash: directory, trustedAt: "t" });
