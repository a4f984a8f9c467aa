import { toErrorReport } from "../../foundation/errors.ts";
import { configDoubts } from "../config/config-doubts.ts";
import type { Machine } from "../machine.ts";
import { listTrusted } from "../trust/trust-store.ts";
import type { Check, Finding } from "./finding.ts";

/** The files of the configuration: what is wrong in them, what is left out of them. */
export function checkConfiguration(machine: Pick<Machine, "readConfig">): Check {
  const subject = "config";
  return {
    subject,
    look: async () => {
      const { config, problems } = await machine.readConfig();
      if (config === undefined)
        return problems
          .filter(({ severity }) => severity === "error")
          .map(({ file, line, column, message, hint }) => ({
            subject,
            status: "problem",
            stops: "configuration",
            text: `${file}:${line}:${column} ${message}`,
            hint: hint ?? "troupe config shows the place",
          }));
      const files = config.files.filter(({ hash }) => hash !== undefined);
      const text =
        files.length === 0 ? "no files, all is default" : files.map(({ file }) => file).join(", ");
      const doubts = configDoubts(config).map((doubt): Finding => {
        const { message, hint } = toErrorReport(doubt);
        const next = hint === undefined ? {} : { hint };
        return { subject, status: "warning", text: message, ...next };
      });
      return [{ subject, status: "ok", text }, ...doubts];
    },
  };
}

/** Whether the list of trusted projects can be believed. */
export function checkTrust({ env }: Pick<Machine, "env">): Check {
  const subject = "trust";
  return {
    subject,
    look: async () => {
      try {
        return [{ subject, status: "ok", text: `${listTrusted(env).length} trusted project(s)` }];
      } catch (error) {
        const { message, hint } = toErrorReport(error);
        return [
          { subject, status: "warning", text: message, ...(hint === undefined ? {} : { hint }) },
        ];
      }
    },
  };
}
