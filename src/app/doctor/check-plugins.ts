import { toErrorReport } from "../../foundation/errors.ts";
import type { Machine } from "../machine/machine.ts";
import { loadPlugin } from "../workflow/plugins/load-plugins.ts";
import { type PluginFile, pluginFiles } from "../workflow/plugins/plugin-files.ts";
import type { Check, Finding } from "./finding.ts";

const SUBJECT = "plug-ins";

/** The plug-ins of the configuration: each is loaded, unless nobody trusts it. */
export function checkPlugins(machine: Machine): Check {
  return {
    subject: SUBJECT,
    look: async () => {
      const { config } = await machine.readConfig();
      // What is wrong with the configuration has been said by its own check.
      if (config === undefined) return [];
      return Promise.all(pluginFiles(machine, config).map(lookAt));
    },
  };
}

async function lookAt(plugin: PluginFile): Promise<Finding> {
  const { file, isTrusted } = plugin;
  if (!isTrusted) {
    const text = `${file} is left out: it is not trusted as it is now`;
    return { subject: SUBJECT, status: "warning", text, hint: "troupe trust" };
  }
  try {
    const { stepTypes = [], guards = [] } = await loadPlugin(plugin);
    const names = [...stepTypes, ...guards].map(({ name }) => name).join(", ");
    return { subject: SUBJECT, status: "ok", text: `${file}: ${names}` };
  } catch (error) {
    const { message, hint } = toErrorReport(error);
    const next = hint === undefined ? {} : { hint };
    return { subject: SUBJECT, status: "problem", stops: "runs", text: message, ...next };
  }
}
