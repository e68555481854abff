import fc from "fast-check";
import { parseProperties } from "../../ffi/android/properties.ts";
import { createEvent } from "../../ffi/file/file_descriptor.ts";
import { cacheChecksum } from "../../egl/cache/checksum.ts";
import { decodeCacheFile, encodeCacheFile } from "../../egl/cache/monolithic.ts";
import { decodeEntry, encodeEntry } from "../../egl/cache/multifile_folder.ts";
import { readVendorManifest } from "../../egl/driver/glvnd_vendor.ts";
import { decodeCommands } from "../../hwc/binder/hidl/decode_commands.ts";
import { readBatch } from "../../hwc/remote/batch.ts";
import { commandNumber, COMMANDS } from "../../hwc/remote/commands.ts";
import type { Codec } from "../../hwc/remote/wire/codec.ts";
import { ReceivedBuffers } from "../../hwc/remote/server/belongings.ts";
import { Reader } from "../../hwc/remote/wire/reader.ts";
import { Writer } from "../../hwc/remote/wire/writer.ts";
import { readRequest } from "../../hwc/viewer/requests.ts";
import { denoHost } from "../../loader/driver/host/host.ts";
import { readIcdManifest } from "../../loader/driver/manifest/manifest.ts";
import { readLoaderSettings } from "../../loader/driver/manifest/settings_file.ts";
import { readLayerManifest } from "../../loader/layers/choice/declared/manifest.ts";
import { DECLARED } from "../../loader/layers/shipped/settings/declared.ts";
import { readSettings } from "../../loader/layers/shipped/settings/read_settings.ts";
import { textOf } from "../../loader/layers/shipped/trace/text.ts";
import { TextLines } from "../../loader/layers/shipped/trace/text_lines.ts";
import { readSource } from "../../loader/twin/read_source.ts";
import { openRecording, recordingInfo, trimRecording } from "../../workbench/recordings/mod.ts";
import { compileFixture } from "../../tests/support/compile.ts";
import { readRecording } from "../../workbench/recordings/replay/stream.ts";
import { readRing } from "../../workbench/recordings/black_box/read_ring.ts";
import { parseQpa, parseResults } from "../../workbench/runs/deqp/results_file.ts";
import { readCard, readResult } from "../../workbench/runs/queue/messages.ts";
import { Round } from "../../workbench/runs/queue/round.ts";
import { slotsFor } from "../../workbench/runs/queue/workers.ts";
import { readPng, writePng } from "../../workbench/runs/testing/golden.ts";
import { readMessage } from "../../wsi/web/protocol.ts";
import { changedBytes, changedJson, changedText } from "./changes.ts";
import * as samples from "./samples.ts";

type Input = string | Uint8Array<ArrayBuffer>;

/** A reader of something that others wrote. */
export interface Subject {
  /** The kind of input. */
  readonly kind: string;
  /** The reader's name. */
  readonly reader: string;
  /** Makes inputs that are nearly right. */
  readonly inputs: fc.Arbitrary<Input>;
  /** Reads an input, which a file has, too. */
  read(input: Input, path: string): unknown;
}

const text = (input: Input): string => typeof input === "string" ? input : new TextDecoder().decode(input);
const bytes = (input: Input): Uint8Array<ArrayBuffer> =>
  typeof input === "string" ? new TextEncoder().encode(input) : input;

/** The folder in which readers of several files look. */
const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/"));

function manifests(): Subject[] {
  const host = denoHost(), kind = "manifests";
  return [
    {
      kind,
      reader: "readIcdManifest()",
      inputs: changedJson(samples.ICD),
      read: (_, path) => readIcdManifest(path, host),
    },
    {
      kind,
      reader: "readLayerManifest()",
      inputs: changedJson(samples.LAYER),
      read: (_, path) => [true, false].map((isImplicit) => readLayerManifest(path, isImplicit, host, () => {})),
    },
    {
      kind,
      reader: "readVendorManifest()",
      inputs: changedJson(samples.VENDOR),
      read: (_, path) => readVendorManifest(path, host),
    },
  ];
}

function settings(): Subject[] {
  const kind = "settings";
  return [
    {
      kind,
      reader: "readLoaderSettings()",
      inputs: changedJson(samples.SETTINGS),
      read(input, path) {
        const folder = `${folderOf(path)}/vulkan/loader_settings.d`;
        Deno.mkdirSync(folder, { recursive: true });
        Deno.writeFileSync(`${folder}/vk_loader_settings.json`, bytes(input));
        const env = (name: string) => name === "XDG_CONFIG_HOME" ? folderOf(path) : undefined;
        readLoaderSettings({ ...denoHost(), env }, []);
      },
    },
    {
      kind,
      reader: "readSettings()",
      inputs: changedText(samples.LAYER_SETTINGS),
      read: (input) =>
        Object.values(DECLARED).map((declared) =>
          readSettings(declared, { variable: () => undefined, file: () => text(input) })
        ),
    },
    {
      kind: "properties",
      reader: "parseProperties()",
      inputs: fc.oneof(changedText(samples.PROPERTIES), changedText(samples.PRINTED_PROPERTIES)),
      read: (input) => parseProperties(text(input)),
    },
  ];
}

/** With a checksum that fits, so that not the checksum alone tells a change. */
function resealed(file: Uint8Array<ArrayBuffer>, from: number): Uint8Array<ArrayBuffer> {
  if (file.length >= 8) new DataView(file.buffer).setUint32(4, cacheChecksum(file.subarray(from)), true);
  return file;
}

function caches(): Subject[] {
  const file = encodeCacheFile(samples.ENTRIES, "AB1"), kind = "blob caches";
  return [
    {
      kind,
      reader: "decodeCacheFile()",
      inputs: fc.oneof(changedBytes(file), changedBytes(file).map((changed) => resealed(changed, 8))),
      read: (input) => decodeCacheFile(bytes(input), "AB1"),
    },
    {
      kind,
      reader: "decodeEntry()",
      inputs: changedBytes(encodeEntry(samples.ENTRIES[0])).map((changed) => resealed(changed, 24)),
      read: (input) => decodeEntry(bytes(input)),
    },
  ];
}

/** Recordings of which a line is another, is missing, or comes several times. */
function changedLines(sample: readonly unknown[]): fc.Arbitrary<string> {
  return fc.tuple(fc.nat(sample.length - 1), fc.nat(3)).chain(([at, count]) =>
    changedJson(sample[at]).map((line) => {
      const texts = sample.map((each) => JSON.stringify(each));
      return `${texts.toSpliced(at, 1, ...Array(count).fill(line)).join("\n")}\n`;
    })
  );
}

/** Recordings of a program with a line that is nearly right, for a reader of the whole. */
function program(
  reader: string,
  read: (path: string) => unknown,
  sample: readonly unknown[] = samples.PROGRAM,
): Subject {
  return { kind: "recordings", reader, inputs: changedLines(sample), read: (_, path) => read(path) };
}

/** Trimming: on a driver that does nothing, so that whatever fails is this library's. */
function trims(): Subject[] {
  const driver = compileFixture("tiny_driver"), frames = { from: 1, to: 1, timeout: 1000, unsealed: true };
  if (driver === undefined) return [];
  const lines = samples.PROGRAM.filter((line) => !JSON.stringify(line).match(/Image|Fill/)); // the driver has no memory
  return [program("trimRecording()", (path) => trimRecording({ driver }, path, frames), lines)];
}

function recordings(): Subject[] {
  return [
    {
      kind: "recordings",
      reader: "readRecording()",
      inputs: changedLines(samples.RECORDING),
      read: (_, path) => readRecording(path, { unsealed: true }),
    },
    program("recordingInfo()", (path) => recordingInfo(path)),
    program("openRecording(), states", (path) => {
      const recording = openRecording(path, { unsealed: true });
      for (const { id } of recording.events) recording.state(id);
    }),
    ...trims(),
    {
      kind: "recordings",
      reader: "readRing()",
      inputs: changedJson(samples.RING),
      read(input, path) {
        const folder = `${folderOf(path)}/ring`;
        Deno.mkdirSync(folder, { recursive: true });
        Deno.writeFileSync(`${folder}/ring.json`, bytes(input));
        readRing(folder);
      },
    },
  ];
}

function traces(): Subject {
  return {
    kind: "traces",
    reader: "traceText()",
    inputs: changedLines(samples.TRACE),
    read: (input) => textOf(text(input).split("\n"), new TextLines()),
  };
}

function descriptions(): Subject[] {
  const one = (reader: string, sample: unknown): Subject => ({
    kind: "descriptions of devices",
    reader: `readSource() of ${reader}`,
    inputs: changedJson(sample),
    read: (_, path) => readSource(path),
  });
  return [one("vkjson", samples.VKJSON), one("a profile", samples.PROFILE), one("a report", samples.REPORT)];
}

function messages(): Subject[] {
  return [
    {
      kind: "messages",
      reader: "readBatch()",
      inputs: changedBytes(batch()),
      read: (input) => readOneBatch(bytes(input)),
    },
    {
      kind: "messages",
      reader: "decodeCommands()",
      inputs: changedBytes(new Uint8Array(samples.WORDS.buffer)),
      read: (input) => decodeCommands(new Uint32Array(bytes(input).slice(0, bytes(input).length & ~3).buffer), []),
    },
    {
      kind: "messages",
      reader: "readMessage() of a page",
      inputs: changedJson(samples.PAGE_MESSAGE),
      read: (input) => readMessage(text(input)),
    },
    {
      kind: "messages",
      reader: "readRequest() of a page",
      inputs: changedJson(samples.PAGE_REQUEST),
      read: (input) => readRequest(parsed(input)),
    },
  ];
}

function parsed(input: Input): unknown {
  try {
    return JSON.parse(text(input));
  } catch {
    return undefined;
  }
}

/** A batch of commands with arguments of each kind. */
function batch(): Uint8Array {
  const writer = new Writer();
  writer.u32(1);
  writer.u8(1);
  writer.u32(0);
  writer.u32(samples.BATCH.length);
  for (const [name, ...values] of samples.BATCH) {
    writer.u32(commandNumber(name));
    const codecs = COMMANDS[name].args as readonly Codec<unknown>[];
    writer.sized(() => codecs.forEach((codec, index) => codec.write(writer, values[index])));
  }
  return writer.bytes.slice();
}

function readOneBatch(input: Uint8Array): void {
  const fd = createEvent(), buffers = new ReceivedBuffers(), reader = new Reader(input, [fd], buffers);
  try {
    for (const { taken, lent } of readBatch(reader).calls) [...taken, ...lent].forEach((fence) => fence.close());
  } finally {
    reader.close();
    buffers.close();
  }
}

function results(): Subject[] {
  return [
    {
      kind: "queue messages",
      reader: "Round.take()",
      inputs: changedJson(samples.RESULT),
      read(input) {
        const plan = { batches: [{ group: 0, start: 0, length: 3 }] };
        const round = new Round(plan, (task) => ({ key: `task ${task}` }), { ended: () => {} });
        const result = readResult(bytes(input));
        if (result) round.take(0, result);
        if (round.left < 0 || round.left > 3) throw new Error(`${round.left} of 3 tasks are left`);
      },
    },
    {
      kind: "queue messages",
      reader: "slotsFor()",
      inputs: changedJson(samples.CARD),
      read(input) {
        const card = readCard(bytes(input));
        const slots = card ? slotsFor({ driver: "lvp" }, [card], samples.CARD.version) : 0;
        if (!Number.isSafeInteger(slots)) throw new Error(`the worker has ${slots} slots`);
      },
    },
    { kind: "results", reader: "parseQpa()", inputs: changedText(samples.QPA), read: (input) => parseQpa(text(input)) },
    {
      kind: "results",
      reader: "parseResults()",
      inputs: changedText(samples.RESULTS),
      read: (input) => parseResults(text(input)),
    },
    { kind: "pictures", reader: "readPng()", inputs: changedBytes(picture()), read: (_, path) => readPng(path) },
  ];
}

function picture(): Uint8Array {
  const folder = Deno.makeTempDirSync();
  try {
    writePng(`${folder}/a.png`, { width: 3, height: 2, data: new Uint8Array(24).map((_, at) => at * 9) });
    return Deno.readFileSync(`${folder}/a.png`);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** All readers. */
export function subjects(): Subject[] {
  const files = [...manifests(), ...settings(), ...caches(), ...recordings(), traces(), ...descriptions()];
  return [...files, ...messages(), ...results()];
}
