// One change of a working tree, as a process of its own that can be killed: its order is the first argument, as JSON.
import { z } from "zod";
import {
  checkOut,
  finishChange,
  giveMergeUp,
  goBackTo,
  mergeIntoWorkingTree,
  takeChangeBack,
} from "../../src/host/git/working-merge.ts";
import { doorOf } from "../../src/host/git/worktree.ts";
import { createTestHost } from "../host/survivors.ts";

const orderSchema = z.object({
  cwd: z.string(),
  action: z.enum(["merge", "give-up", "go-back", "check-out", "finish", "take-back"]),
  commit: z.string(),
});

const { cwd, action, commit } = orderSchema.parse(JSON.parse(process.argv[2] ?? ""));
const host = createTestHost({ env: process.env });
const door = await doorOf(host.repositories, cwd);
const by = "run_killed";
const actions = {
  merge: () => mergeIntoWorkingTree(door, { commit, message: "merge", by }),
  "give-up": () => giveMergeUp(door, by),
  "go-back": () => goBackTo(door, { commit, by }),
  "check-out": () => checkOut(door, { branch: "target", tip: commit, by }),
  finish: () => finishChange(door),
  "take-back": () => takeChangeBack(door),
};
await actions[action]();
await host.close();
