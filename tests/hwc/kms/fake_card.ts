import { createKmsComposer, type KmsComposer } from "../../../hwc/kms/create_kms_composer.ts";
import type { KmsError } from "../../../hwc/kms/kms_error.ts";
import type { KmsComposerOptions } from "../../../hwc/kms/options.ts";
import { POWER_MODE } from "../../../hwc/device_types.ts";
import { Library } from "../../../ffi/library/library.ts";
import { invokeAddress } from "../../../ffi/machine.ts";
import { allocateBuffer } from "../../../wsi/buffer/gralloc.ts";
import type { GraphicBuffer } from "../../../wsi/buffer/graphic_buffer.ts";
import { USAGE } from "../../../wsi/buffer/usage.ts";
import type { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { compileFixture } from "../../support/compile.ts";
import { needs } from "../../support/require.ts";
import { run } from "../../support/subprocess.ts";

/** The library that has the fake card; `undefined` without a C compiler. */
export const FAKE_LIBDRM: string | undefined = compileFixture("fake_drm");

/** Tests on the fake card need a C compiler. */
export const ON_FAKE: { ignore: boolean } = needs("C compiler (cc)", FAKE_LIBDRM);

/** The abilities of the fake card: the variables of tests/fixtures/fake_drm.c without their prefix. */
export type FakeRules = Readonly<Partial<Record<(typeof RULES)[number], string>>>;

const RULES = ["PLANES", "REFUSE", "BUSY", "VSYNCS", "HAS", "SCALE", "HDCP", "MODES", "SEAMLESS", "TILES"] as const;

/** One commit that the fake card got. */
export interface FakeCommit {
  /** 0, or a negative error number. */
  readonly result: number;
  /** `DRM_MODE_…`. */
  readonly flags: number;
  /** The values, such as `30.FB_ID`. */
  readonly values: Readonly<Record<string, string>>;
}

/** A composer on a card in memory. */
export class FakeCard implements AsyncDisposable {
  readonly composer: KmsComposer;
  readonly display: bigint;
  readonly errors: KmsError[] = [];
  readonly #folder = Deno.makeTempDirSync();
  readonly #library = Library.open(FAKE_LIBDRM!);
  readonly #buffers: GraphicBuffer[] = [];

  constructor(rules: FakeRules = {}, options: KmsComposerOptions = {}) {
    const path = `${this.#folder}/card`;
    run("mkfifo", [path]);
    this.rules = rules;
    Deno.env.set("FAKE_DRM_LOG", `${this.#folder}/log`);
    const card = { path, libdrm: FAKE_LIBDRM! }, onError = (error: unknown) => this.errors.push(error as KmsError);
    this.composer = createKmsComposer({ flattenAfter: 0, ...options, card, onError });
    let first = 0n;
    this.composer.registerCallback(1, (display) => first ||= display);
    this.display = first;
    this.composer.setPowerMode(first, POWER_MODE.ON);
  }

  /** Sets what the card can do from now on. */
  set rules(rules: FakeRules) {
    for (const name of RULES) {
      const value = rules[name];
      if (value === undefined) Deno.env.delete(`FAKE_DRM_${name}`);
      else Deno.env.set(`FAKE_DRM_${name}`, value);
    }
  }

  /** The commits so far. */
  get commits(): FakeCommit[] {
    const lines = Deno.readTextFileSync(`${this.#folder}/log`).trimEnd().split("\n");
    return lines.map((line) => {
      const [head, ...values] = line.split("\t"), [result, flags] = head.split(" ").map(Number);
      return { result, flags, values: Object.fromEntries(values.map((each) => each.split("="))) };
    });
  }

  /** The modifier of a framebuffer, by its number; -1n if there is none. */
  modifierOf(framebuffer: number): bigint {
    return BigInt.asIntN(64, invokeAddress(this.#library.require("fake_drm_modifier"), "q:w", [framebuffer]) as bigint);
  }

  /** The number of objects that the card keeps. */
  kept(what: "framebuffers" | "blobs"): number {
    return invokeAddress(this.#library.require(`fake_drm_${what}`), "s:", []) as number;
  }

  /** A buffer, closed at the end. */
  buffer(width = 640, height = 480, format = 1): GraphicBuffer {
    const usage = USAGE.CPU_READ_OFTEN | USAGE.CPU_WRITE_OFTEN | USAGE.COMPOSER_OVERLAY;
    const buffer = allocateBuffer({ width, height, format, usage });
    this.#buffers.push(buffer);
    return buffer;
  }

  /** Validates, accepts and presents. */
  present(): NativeFence {
    const { composer, display } = this;
    if (composer.validateDisplay(display).numTypes > 0) composer.acceptDisplayChanges(display);
    return composer.presentDisplay(display);
  }

  /** Presents, and waits for the flip. */
  async shown(): Promise<void> {
    using fence = this.present();
    await fence.ready();
  }

  /** Gives back everything; the counts of the card stay readable. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.composer[Symbol.asyncDispose]();
    for (const buffer of this.#buffers) buffer.close();
    this.#library.close();
    Deno.removeSync(this.#folder, { recursive: true });
  }
}
