import { toErrorReport } from "../../foundation/errors.ts";
import { configDoubts, shortened } from "../machine/config/config-doubts.ts";
import { agentFilesOf } from "../machine/effective/agent-trust.ts";
import type { Machine } from "../machine/machine.ts";
import { listTrusted } from "../machine/trust/trust-store.ts";
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

/** Whether the list of trusted projects can be believed, and what of this one it does not cover. */
export function checkTrust({ env, project }: Pick<Machine, "env" | "project">): Check {
  const subject = "trust";
  return {
    subject,
    look: async () => {
      try {
        const text = `${listTrusted(env).length} trusted project(s)`;
        return [{ subject, status: "ok", text }, ...agentFileNotes({ env, project })];
      } catch (error) {
        const { message, hint } = toErrorReport(error);
        return [
          { subject, status: "warning", text: message, ...(hint === undefined ? {} : { hint }) },
        ];
      }
    },
  };
}

function agentFileNotes(machine: Pick<Machine, "env" | "project">): readonly Finding[] {
  const files = agentFilesOf(machine).filter(({ isTrusted }) => !isTrusted);
  if (files.length === 0) return [];
  const names = shortened(files.map(({ path }) => path)).join(", ");
  const text = `programs of agents take nothing from these files of the project: ${names}`;
  return [{ subject: "trust", status: "note", text, hint: "troupe trust" }];
}
