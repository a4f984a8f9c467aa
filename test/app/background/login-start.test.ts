import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
  type LoginStart,
  loginStart,
  loginState,
  writeLoginStart,
} from "../../../src/app/background/login-start.ts";
import { temporaryDirectory } from "../../programs/temporary-directory.ts";

const COMMAND = ["/opt/no de/node", "/opt/100%/troupe.js", "daemon", "serve"];

test("on Linux a unit of systemd that is wanted by the user's session starts the daemon [DMN-2.login]", () => {
  const start = startOn("linux");
  expect(loginState(start)).toBe("missing");
  writeLoginStart(start);
  const text = readFileSync(start.file, "utf8");
  expect(text).toContain(
    'ExecStart="/opt/no de/node" "/opt/100%%/troupe.js" "daemon" "serve"\nEnvironment="PATH=/bin:/my \\"own\\""\nEnvironment="MALLOC_MMAP_THRESHOLD_=32768"\n',
  );
  expect(text).not.toContain("SECRET");
  expect(start.file.endsWith("/.config/systemd/user/troupe.service")).toBe(true);
  expect(statSync(start.file).mode & 0o777).toBe(0o600);
  const link = join(dirname(start.file), "default.target.wants/troupe.service");
  expect(readlinkSync(link)).toBe(start.file);
  expect(loginState(start)).toBe("ready");
  writeLoginStart(start);
  expect(loginState(start)).toBe("ready");
});

test("on macOS an agent of launchd starts the daemon [DMN-2.login]", () => {
  const start = startOn("darwin");
  writeLoginStart(start);
  expect(start.file.endsWith("/Library/LaunchAgents/dev.troupe.daemon.plist")).toBe(true);
  const text = readFileSync(start.file, "utf8");
  expect(text).toContain(
    "<string>/opt/no de/node</string>\n    <string>/opt/100%/troupe.js</string>",
  );
  expect(text).toContain("<key>RunAtLoad</key>\n  <true/>");
  expect(loginState(start)).toBe("ready");
});

test("what another place of troupe wrote is told and written anew, what others wrote is left alone [DMN-2.login]", () => {
  const start = startOn("linux");
  writeLoginStart({ ...start, text: `${start.text}# of another place\n` });
  expect(loginState(start)).toBe("other");
  writeLoginStart(start);
  expect(loginState(start)).toBe("ready");
  const foreign = startOn("linux");
  mkdirSync(dirname(foreign.file), { recursive: true });
  writeFileSync(foreign.file, "[Unit]\n");
  expect(loginState(foreign)).toBe("foreign");
  expect(() => writeLoginStart(foreign)).toThrow(
    expect.objectContaining({ code: "DAEMON_LOGIN_FOREIGN" }),
  );
  expect(readFileSync(foreign.file, "utf8")).toBe("[Unit]\n");
});

test("on other systems nothing is written [DMN-2.login]", () => {
  expect(loginStart({}, { platform: "freebsd", command: COMMAND })).toBeUndefined();
});

function startOn(platform: string): LoginStart {
  const home = temporaryDirectory();
  const env = { HOME: home, PATH: '/bin:/my "own"', OPENAI_API_KEY: "SECRET" };
  const start = loginStart(env, { platform, command: COMMAND });
  if (start === undefined) throw new Error("no start");
  expect(existsSync(start.file)).toBe(false);
  return start;
}
