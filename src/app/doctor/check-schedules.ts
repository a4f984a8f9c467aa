import { count } from "../../foundation/count.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import { present } from "../../foundation/present.ts";
import { daemonFiles } from "../background/daemon-files.ts";
import {
  type LoginState,
  loginProgram,
  loginStart,
  loginState,
} from "../background/login-start.ts";
import type { Machine } from "../machine/machine.ts";
import type { Schedule } from "../schedules/schedule.ts";
import { readSchedules } from "../schedules/schedule-list.ts";
import type { Check, Finding } from "./finding.ts";

const SCHEDULES = "schedules";
const LOGIN = "login";

/** What the daemon is to start by itself, what it does not, and whether it is there after a restart of the machine. */
export function checkSchedules({ env }: Pick<Machine, "env">): Check {
  return {
    subject: SCHEDULES,
    look: async () => {
      try {
        const schedules = readSchedules(daemonFiles(env).schedules);
        const active = schedules.filter(({ status }) => status === "active");
        const text =
          schedules.length === 0 ? "none" : `${schedules.length}, ${active.length} active`;
        const all: Finding = { subject: SCHEDULES, status: "ok", text };
        return [all, ...notStarted(active), loginFinding(env, active.length)];
      } catch (error) {
        const { message: text, hint } = toErrorReport(error);
        return [{ subject: SCHEDULES, status: "warning", text, ...present({ hint }) }];
      }
    },
  };
}

function notStarted(schedules: readonly Schedule[]): readonly Finding[] {
  return schedules.flatMap(({ name, starts }) => {
    const last = starts.at(-1);
    if (last?.status !== "held" && last?.status !== "failed") return [];
    const text = `${name} did not start at ${last.due}: ${last.reason}`;
    return [{ subject: SCHEDULES, status: "warning", text, hint: `troupe schedule show ${name}` }];
  });
}

const STATES: { readonly [state in LoginState]: string } = {
  ready: "starts at login",
  missing: "does not start at login",
  other: "starts at login, as an earlier version or another place of it was set up",
  foreign: "does not start at login",
};

/** Only whoever has schedules misses it. */
function loginFinding(env: Machine["env"], active: number): Finding {
  const program = loginProgram();
  const start = loginStart(env, program);
  if (start === undefined)
    return {
      subject: LOGIN,
      status: "note",
      text: `nothing is known of logins on ${program.platform}`,
    };
  const state = loginState(start);
  const text = `the daemon ${STATES[state]} (${start.by}, ${start.file})`;
  if (state === "ready") return { subject: LOGIN, status: "ok", text };
  const isMissed = active > 0;
  const why = isMissed ? `, and ${count(active, "schedule")} would wait for the next command` : "";
  const status = isMissed ? "note" : "ok";
  return { subject: LOGIN, status, text: `${text}${why}`, hint: "troupe doctor --at-login" };
}
