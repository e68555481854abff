/**
 * The spinning island in every present mode, on every driver of this machine,
 * through every consumer: what is shown is what is drawn off-screen, and nothing
 * grows. `PUMICE_SOAK=10000` draws as many frames in each instead of a few.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import type { ModeName } from "../../../examples/spin/modes.ts";
import { ModeError } from "../../../examples/spin/stage.ts";
import { deviceLimits } from "../../../workbench/layers.ts";
import type { Layer } from "../../../loader/mod.ts";
import * as vk from "../../../loader/vk.ts";
import {
  chromiumPath,
  lavapipePath,
  nvidiaManifest,
  swiftshaderPath,
  validationManifest,
  xvfbPath,
} from "../../../tools/setup/parts.ts";
import { closeFenceWorker } from "../../../wsi/fence/fence_worker.ts";
import { growth } from "./figures.ts";
import { needs } from "../../support/require.ts";
import { MODE_NAMES, runSoak, type SoakOptions, type SoakReport } from "./run_soak.ts";
import { sharesImages } from "./shares_images.ts";
import { openWitness, type WitnessName } from "./witnesses.ts";

const LONG = Number(Deno.env.get("PUMICE_SOAK") ?? 0), FRAMES = LONG || 150, FEW = LONG || 40;
/** Odd, so that rows of buffers end in gaps. */
const SIZE = { width: 129, height: 71 };
/** KiB: a driver takes two MiB at once now and then; a leak of one buffer a frame is 4.9 MiB in 135 frames. */
const MOST_ALLOCATED = 4608;
const DRIVERS: { name: string; driver: string; below?: () => Layer }[] = [
  { name: "Mesa lavapipe", driver: lavapipePath()! },
  { name: "SwiftShader", driver: swiftshaderPath()! },
  { name: "a driver that draws into its own memory alone", driver: lavapipePath()!, below: withoutHostMemory },
  ...gpuDrivers(),
];
const [lavapipe] = DRIVERS, LAVAPIPE = needs(lavapipe.name, lavapipe.driver);
/** The modes that the validation layer knows: one from before VK_EXT_present_mode_fifo_latest_ready warns of all about it. */
const VALIDATED = MODE_NAMES.filter((mode) => mode !== "fifo-latest-ready");

/** A real GPU's driver where there is one; few machines have it, so it is no part that is missing elsewhere. */
function gpuDrivers() {
  const driver = nvidiaManifest();
  return driver ? [{ name: "NVIDIA", driver }] : [];
}

/** A layer below which a driver shares no memory with the host, as GPUs: images are copied, and none is shared. */
function withoutHostMemory(): Layer {
  return deviceLimits({ hideExtensions: ["VK_EXT_external_memory_host"] }).layer;
}

interface Run extends Partial<SoakOptions> {
  readonly driver: string;
  readonly mode: ModeName;
  readonly consumer?: WitnessName;
}

async function soak({ consumer = "frames", ...run }: Run): Promise<SoakReport> {
  const frames = run.frames ?? FRAMES, every = Math.ceil(frames / 12);
  await using witness = await openWitness(consumer, { ...SIZE, mode: run.mode, every });
  const report = await runSoak({ size: SIZE, frames, every, witness, ...run });
  closeFenceWorker();
  return report;
}

/** Asserts the rules that hold for every run. */
function assertSound(report: SoakReport): void {
  const { mode, frames, queued, shown, dropped, compared, different, disorder, copies, isCopied, messages } = report;
  const { warm, end } = report, wanted = { different: 0, disorder: 0, copies: isCopied ? queued : 0, messages: [] };
  assertEquals({ different, disorder, copies, messages }, wanted);
  assert(compared >= 4, `${compared} frames compared`);
  assertEquals(queued, mode === "shared-continuous" ? 1 : frames);
  if (mode.startsWith("fifo")) assertEquals(dropped, 0);
  assert(shown > 0);
  const more = growth(warm, end);
  assertEquals(more.files, [], `more than the ${warm.files.length} open files after a tenth: ${more.files}`);
  assert(more.shared <= 0, `${more.shared} more shared mappings than the ${warm.shared} after a tenth`);
  assert(more.allocated <= MOST_ALLOCATED, `${more.allocated} KiB more than the ${warm.allocated} after a tenth`);
}

for (const { name, driver, below: layer } of DRIVERS) {
  const soakOn = (run: Omit<Run, "driver">) => soak({ ...run, driver, below: layer && [layer()] });
  /** Holds what comes of a run, or that a mode the driver has not got is refused. */
  const soundOn = async (run: Omit<Run, "driver">): Promise<SoakReport | undefined> => {
    try {
      const report = await soakOn(run);
      assertSound(report);
      return report;
    } catch (error) {
      if (!(error instanceof ModeError)) throw error;
      assert(run.mode.startsWith("shared-"), error.message); // the others are there on any driver
      assertEquals(sharesImages(driver, layer), false, error.message);
    }
  };
  const part = needs(name, driver), validated = needs("Khronos validation layer", validationManifest());

  for (const mode of MODE_NAMES) {
    Deno.test(`a window shows the very frames that are drawn, and nothing grows: ${mode}, ${name}`, part, async () => {
      const report = await soundOn({ mode });
      if (!report) return;
      const { shown, queued, dropped } = report;
      if (mode === "shared-continuous") return assert(shown > FRAMES / 4, `${shown} refreshes`);
      assert(shown + dropped >= queued - 1 && shown + dropped <= queued, `${shown} + ${dropped} of ${queued}`);
      assertEquals(dropped > 0, mode === "mailbox");
    });
  }

  for (const mode of VALIDATED) {
    Deno.test(`validation has nothing to say of a window: ${mode}, ${name}`, {
      ignore: part.ignore || validated.ignore,
    }, async () => {
      await soundOn({ mode, frames: FEW, validation: true });
    });
  }

  Deno.test(`pictures of a window's frames are what is drawn: ${name}`, part, async () => {
    const report = await soundOn({ mode: "fifo", consumer: "png", frames: FEW });
    assertEquals(report?.shown, FEW);
  });
}

for (const mode of ["fifo", "shared-demand"] as const) {
  Deno.test(`an X display shows the very frames that are drawn, without a copy: ${mode}`, {
    ignore: LAVAPIPE.ignore || needs("Xvfb", xvfbPath()).ignore,
  }, async () => {
    const { driver } = lavapipe, format = vk.VK_FORMAT_B8G8R8A8_UNORM;
    const report = await soak({ driver, mode, format, consumer: "x11" });
    assertSound(report);
    assertEquals([report.consumerCopies, report.shown], [0, FRAMES]);
  });
}

for (const mode of ["fifo", "mailbox"] as const) {
  Deno.test(`a browser shows the very frames that are drawn: ${mode}`, {
    ignore: LAVAPIPE.ignore || needs("Chromium", chromiumPath()).ignore,
  }, async () => {
    assertSound(await soak({ driver: lavapipe.driver, mode, consumer: "web", frames: FEW }));
  });
}

for (
  const format of [
    "R8G8B8A8_SRGB",
    "B8G8R8A8_UNORM",
    "B8G8R8A8_SRGB",
    "R5G6B5_UNORM_PACK16",
    "A2B10G10R10_UNORM_PACK32",
    "R16G16B16A16_SFLOAT",
  ] as const
) {
  Deno.test(`a window shows the very frames that are drawn: VK_FORMAT_${format}`, LAVAPIPE, async () => {
    const { driver } = lavapipe;
    assertSound(await soak({ driver, mode: "fifo", format: vk[`VK_FORMAT_${format}`], frames: FEW }));
  });
}
