import { expect, test } from "vitest";
import { findStorageFault } from "../../src/foundation/storage-fault.ts";

function fault(members: object, cause?: unknown): Error {
  return Object.assign(new Error("it failed", { cause }), members);
}

test.each([
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EROFS", "read-only"],
  ["STORE_FULL", "full"],
  ["HOST_DISK_FULL", "full"],
  ["HOST_DISK_READ_ONLY", "read-only"],
])("%s says that the disk is %s, itself or as the cause of a cause", (code, what) => {
  const error = fault({ code });
  expect(findStorageFault(error)).toEqual({ what, error });
  expect(findStorageFault(fault({ code: "OTHER" }, fault({}, error)))).toEqual({ what, error });
});

test.each([
  [13, "full"],
  [4874, "full"],
  [8, "read-only"],
])("so does code %d of SQLite: %s", (errcode, what) => {
  const error = fault({ code: "ERR_SQLITE_ERROR", errcode });
  expect(findStorageFault(error)).toEqual({ what, error });
});

test("nothing else does, least of all what the function of a step threw", () => {
  for (const thrown of [fault({}), fault({ code: "ENOENT", errcode: 1 }), "ENOSPC", undefined])
    expect(findStorageFault(thrown)).toBeUndefined();
  const full = fault({ code: "ENOSPC" });
  expect(findStorageFault(fault({ code: "ENGINE_STEP_FAILED" }, full))).toBeUndefined();
});
