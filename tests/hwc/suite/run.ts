import { assertEquals } from "@std/assert";
import { openBuffers } from "../../../wsi/buffer/gralloc.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { assertNoMoreFiles } from "../../wsi/files_left.ts";
import { openFiles } from "../../support/open_files.ts";
import { DEFAULT_DEVICE } from "./device_options.ts";
import { type Case, type Cases, type Factory, Stage } from "./stage.ts";

/** Registers a test for each case: a device of its own, all callbacks registered, and nothing open afterwards. */
export function runCases(subject: string, suite: string, cases: Cases, factory: Factory, ignore = false): void {
  for (const [name, entry] of Object.entries(cases)) {
    const given: Case = typeof entry === "function" ? { run: entry } : entry;
    Deno.test(`${subject} ${suite}.${name}`, { ignore }, () => runCase(given, factory));
  }
}

let isWarm = false;

/** Opens the things that are opened once for good, so that they are not counted. */
async function warmUp(factory: Factory): Promise<void> {
  if (isWarm) return;
  isWarm = true;
  const stage = new Stage(await factory(DEFAULT_DEVICE)), { fence, signal } = NativeFence.create();
  await stage.connect();
  stage.allocate(8, 8).lock();
  NativeFence.adopt(fence.dup().take()).close();
  signal();
  fence.close();
  await stage.subject.close();
  stage.end();
}

/** Milliseconds in which threads of a case that ended close their own. */
const SOON = 2000;

/** A thread or a file that is opened once for good is there after the first run: only a leak grows with the second. */
async function runCase(given: Case, factory: Factory): Promise<void> {
  await warmUp(factory);
  const files = openFiles();
  await carryOut(given, factory);
  for (const start = performance.now(); openFiles() > files && performance.now() - start < SOON;) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  if (openFiles() <= files) return;
  const more = openFiles();
  await carryOut(given, factory);
  await assertNoMoreFiles(more);
}

async function carryOut({ options, run }: Case, factory: Factory): Promise<void> {
  const buffers = openBuffers(), stage = new Stage(await factory({ ...DEFAULT_DEVICE, ...options }));
  try {
    await stage.connect();
    await run(stage);
    // Late news must not come after the end.
    await stage.subject.pass(0n);
  } finally {
    await stage.subject.close();
  }
  stage.end();
  assertEquals(openBuffers(), buffers, "buffers are given back");
}
