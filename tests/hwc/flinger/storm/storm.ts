import { assert, assertEquals } from "@std/assert";
import { POWER_MODE } from "../../../../hwc/device_types.ts";
import { SurfaceFlinger } from "../../../../hwc/flinger/surface_flinger.ts";
import type { FlingerRelease } from "../../../../hwc/flinger/frame/make_frame.ts";
import { eightPlane, fourPlane, onePlane } from "../../../../hwc/planes/models.ts";
import { ManualClock } from "../../../../hwc/core/time/clock.ts";
import type { PanelOptions } from "../../../../hwc/core/panel/panel.ts";
import { createReferenceComposer } from "../../../../hwc/simulated/reference_composer.ts";
import type { ReferenceComposer } from "../../../../hwc/core/controls.ts";
import { VSYNC_PERIOD } from "../../core/frame.ts";
import { blank, words } from "../stage.ts";
import { Output } from "./outputs.ts";
import { Producer } from "./producer.ts";
import { Random } from "./random.ts";
import { trouble, Watch } from "./watch.ts";

const MODES = [{ width: 8, height: 6, refreshRate: 60 }, { width: 6, height: 4, refreshRate: 60 }] as const;
const MOST_PRODUCERS = 6, MOST_EXTERNALS = 3, MOST_OUTPUTS = 2;

/** Layers that are put together in two steps, by the client and by planes, are rounded twice. */
const MOST_APART = 6;

/** The greatest difference of a colour's channel. */
function farthest(one: readonly number[], other: readonly number[]): number {
  assertEquals(one.length, other.length);
  const channel = (word: number, shift: number) => word >>> shift & 255;
  return Math.max(
    ...one.flatMap((word, at) => [0, 8, 16].map((shift) => Math.abs(channel(word, shift) - channel(other[at], shift)))),
  );
}

/** The observations of a storm. */
export interface StormReport {
  queued: number;
  taken: number;
  replaced: number;
  /** Frames that still waited when their layer ended. */
  left: number;
  producers: number;
  killed: number;
  plugged: number;
  outputs: number;
  /** Calls of the composer that were made to fail. */
  failures: number;
  /** Pictures that were compared before and after all producers drew. */
  compared: number;
  /** Pictures that were compared with what layers are, when nothing more happened. */
  rested: number;
}

/** A device on which everything comes and goes, also in the middle of frames, as a seed says. */
export class Storm implements Disposable {
  readonly report: StormReport = {
    queued: 0,
    taken: 0,
    replaced: 0,
    left: 0,
    producers: 0,
    killed: 0,
    plugged: 0,
    outputs: 0,
    failures: 0,
    compared: 0,
    rested: 0,
  };
  readonly said = new Map<string, number>();
  readonly watch: Watch;
  readonly flinger: SurfaceFlinger;
  /** After all times of the real one: frames are stamped by that, and none is to wait for its time. */
  readonly #clock = new ManualClock(2n ** 60n);
  readonly #device: ReferenceComposer;
  readonly #random: Random;
  readonly #inFrame: readonly (() => void)[];
  #externals: bigint[] = [];
  #producers: Producer[] = [];
  #outputs: Output[] = [];
  #now = 0;
  #isCalm = false;

  constructor(seed: number, release: FlingerRelease = 17) {
    const random = this.#random = new Random(seed), clock = this.#clock;
    this.#device = createReferenceComposer({ clock, panels: [{ modes: MODES }], flattenAfter: 300 });
    this.watch = new Watch(this.#device);
    const log = (message: string) => {
      const kind = message.replace(/"[^"]*"|0x[\da-f]+|\d+/g, "…");
      this.said.set(kind, (this.said.get(kind) ?? 0) + 1);
    };
    this.flinger = new SurfaceFlinger({ composer: this.watch.composer, release, log });
    this.#inFrame = [() => this.#plug(), () => this.#unplug(), () => this.#kill(), () => this.#closeProducer()];
    this.watch.onCall = (name) => {
      if (this.#isCalm) return;
      if (random.happens(0.002)) random.of(this.#inFrame)!();
      if (!random.happens(0.0005)) return;
      this.report.failures++;
      throw trouble(name);
    };
  }

  /** One vsync. */
  frame(): void {
    this.#now++;
    this.#happen();
    for (const producer of [...this.#producers]) producer.step(this.#now);
    for (const output of this.#outputs) output.step();
    this.#clock.advance(VSYNC_PERIOD);
    this.watch.look();
    if (this.#now % 5 === 0) this.#compare();
    if (this.#now % 100 === 0) this.#rest();
  }

  /** When nothing more happens, every display shows what its layers are. */
  #rest(): void {
    const { OFF } = POWER_MODE;
    // Without a panel it is a real timer that makes frames.
    if (this.flinger.displays.every(({ isVirtual, power }) => isVirtual || power === OFF)) return;
    this.#isCalm = true;
    for (let vsync = 0; vsync < 12; vsync++) {
      this.#clock.advance(VSYNC_PERIOD);
      for (const output of this.#outputs) output.readAll();
    }
    for (const { display, handle, isVirtual, power } of this.flinger.displays) {
      using wanted = this.flinger.capture(display);
      const output = this.#outputs.find((each) => each.display === display);
      const shown = isVirtual ? output?.shown : power !== OFF && this.#shown(handle!);
      if (!shown) continue;
      const far = farthest(shown, words(wanted));
      assert(far <= MOST_APART, `frame ${this.#now}: display ${display} is ${far} away from what its layers are`);
      this.report.rested++;
    }
    this.#isCalm = false;
  }

  /** Nothing more happens; everything but the panel goes, and what was on its way arrives. */
  calm(): void {
    this.#isCalm = true;
    while (this.#producers.length > 0) this.#closeProducer();
    while (this.#outputs.length > 0) this.#closeOutput();
    while (this.#externals.length > 0) this.#unplug();
    this.flinger.setPowerMode(0, POWER_MODE.ON);
    this.#drawTargets();
    this.#clock.advance(10n * VSYNC_PERIOD);
    this.watch.look();
    assertEquals([this.watch.pending, this.flinger.displays.length], [0, 1], "present fences pending, displays");
    this.#isCalm = false;
  }

  /** One client target of each size: the last one is all that is left of them. */
  #drawTargets(): void {
    using _layer = this.flinger.createLayer({ size: { width: 2, height: 2 }, color: { r: 1, g: 0, b: 0, a: 1 } });
    this.flinger.setForceClient(true);
    for (const config of this.#device.getDisplayConfigs(this.flinger.displays[0].handle!).reverse()) {
      this.flinger.setActiveConfig(0, config);
      this.#clock.advance(5n * VSYNC_PERIOD);
    }
    this.flinger.setForceClient(false);
  }

  /** Ends in the middle of it. */
  [Symbol.dispose](): void {
    this.#isCalm = true;
    this.flinger.close();
    this.#device.close();
  }

  #happen(): void {
    const random = this.#random;
    if (this.#producers.length < 2 || random.happens(0.02)) this.#begin();
    if (random.happens(0.01)) this.#kill();
    if (random.happens(0.05)) random.of(this.#producers.filter(({ isDead }) => isDead))?.connect();
    if (random.happens(0.008)) this.#closeProducer();
    if (random.happens(0.004)) this.#dispose();
    if (random.happens(0.02)) this.#plug();
    if (random.happens(0.02)) this.#unplug();
    if (random.happens(0.01)) this.#change();
    if (random.happens(0.01)) this.#power();
    if (random.happens(0.01)) this.#open();
    if (random.happens(0.01)) this.#closeOutput();
    if (random.happens(0.1)) this.#move();
    if (random.happens(0.003)) this.flinger.setForceClient(random.happens(0.5));
  }

  #begin(): void {
    if (this.#producers.length >= MOST_PRODUCERS) return;
    this.#producers.push(new Producer(this.flinger, this.#random, `app ${this.report.producers++}`));
  }

  #kill(): void {
    const victim = this.#random.of(this.#producers.filter(({ isDead }) => !isDead));
    victim?.kill();
    this.report.killed += victim ? 1 : 0;
  }

  /** A window ends under its layer, as when a process with both dies. */
  #dispose(): void {
    this.#random.of(this.#producers)?.dispose();
  }

  #closeProducer(): void {
    const [gone] = this.#producers.splice(this.#random.below(this.#producers.length), 1);
    if (!gone) return;
    const { queued, taken, replaced, left } = gone.close();
    this.report.queued += queued;
    this.report.taken += taken;
    this.report.replaced += replaced;
    this.report.left += left;
  }

  #plug(): void {
    if (this.#externals.length >= MOST_EXTERNALS) return;
    const planes = this.#random.of([onePlane, fourPlane, eightPlane])!();
    const panel: PanelOptions = { name: `external ${this.report.plugged++}`, modes: MODES, planes };
    this.#externals.push(this.#device.plug(panel));
    this.flinger.displays.forEach(({ display, isPrimary, isVirtual }) => {
      if (!isPrimary && !isVirtual && this.#random.happens(0.3)) this.flinger.setLayerStack(display, 1);
    });
  }

  #unplug(): void {
    const [gone] = this.#externals.splice(this.#random.below(this.#externals.length), 1);
    if (gone === undefined) return;
    this.#device.unplug(gone);
    this.watch.forget(gone);
  }

  #change(): void {
    const external = this.#random.of(this.#externals), modes = this.#random.happens(0.5) ? MODES : MODES.toReversed();
    if (external !== undefined && this.#random.happens(0.3)) this.#device.changeModes(external, modes);
    const { display, handle, isVirtual } = this.#random.of(this.flinger.displays)!;
    if (handle === undefined || isVirtual) return;
    this.flinger.setActiveConfig(display, this.#random.of(this.#device.getDisplayConfigs(handle))!);
  }

  #power(): void {
    const physical = this.flinger.displays.filter(({ isVirtual }) => !isVirtual);
    const { OFF, ON, DOZE } = POWER_MODE;
    this.flinger.setPowerMode(this.#random.of(physical)!.display, this.#random.of([OFF, ON, ON, ON, DOZE])!);
  }

  #open(): void {
    if (this.#outputs.length >= MOST_OUTPUTS) return;
    this.#outputs.push(new Output(this.flinger, this.#random));
    this.report.outputs++;
  }

  #closeOutput(): void {
    const [gone] = this.#outputs.splice(this.#random.below(this.#outputs.length), 1);
    gone?.close(this.#random.happens(0.6));
  }

  #move(): void {
    const producer = this.#random.of(this.#producers), random = this.#random;
    if (!producer) return;
    const position = { x: random.below(6) - 2, y: random.below(5) - 2 }, { layer } = producer;
    const way = random.next();
    if (way < 0.3) layer.moveCursor(position.x, position.y);
    else if (way < 0.5) layer.set({ isHidden: random.happens(0.3), alpha: random.happens(0.7) ? 1 : 0.5 });
    else layer.set({ position, z: random.below(4), transform: random.below(8) });
  }

  /** Whatever producers may write is on no panel. */
  #compare(): void {
    const panels = this.flinger.displays.flatMap(({ handle, isVirtual }) => isVirtual || !handle ? [] : [handle]);
    const before = panels.map((handle) => this.#shown(handle));
    this.#isCalm = true;
    for (const producer of [...this.#producers]) producer.step(this.#now);
    this.#isCalm = false;
    panels.forEach((handle, at) => {
      assertEquals(this.#shown(handle), before[at], `frame ${this.#now}: somebody wrote into what display ${at} shows`);
    });
    this.report.compared += panels.length;
  }

  #shown(handle: bigint): number[] {
    const { width, height } = this.flinger.displays.find((each) => each.handle === handle)!;
    using picture = blank(width, height);
    this.#device.capture(handle, picture);
    return words(picture);
  }

  /** For whoever wants to be sure that something happened. */
  assertStormy(): void {
    const { queued, killed, plugged, outputs, failures, compared } = this.report;
    assert(
      [queued, killed, plugged, outputs, failures, compared].every((count) => count > 0),
      Deno.inspect(this.report),
    );
  }
}
