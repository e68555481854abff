import { chance, pick } from "../../../workbench/programs/choices.ts";
import { partOf } from "./buffers.ts";
import type { Work } from "./contents.ts";
import { shuffled } from "./machine.ts";
import { type Context, type Seen, used } from "./program.ts";

/** A value that a program must read, and the place of the value. */
export type Foretold = Omit<Seen, "bytes">;

/** A program of threads: text for tests/fixtures/steps_app.c, which says what each step does, and what it must read. */
export interface Plan {
  readonly text: string;
  readonly reads: readonly Foretold[];
}

interface PlannedBuffer {
  readonly index: number;
  readonly size: number;
  /** The bytes that the device sees. */
  readonly contents: Uint8Array<ArrayBuffer>;
  /** Whether the device writes it. */
  readonly isWritten: boolean;
  /** The memory that it shares, and where; none if a thread makes it, with memory of its own. */
  readonly place: readonly [block: number, at: number] | undefined;
}

/** The needs of one submission, which belong to one thread at a time. */
interface Slot {
  readonly index: number;
  readonly device: number;
  buffers: PlannedBuffer[];
  /** Whether the device has filled what it writes, and the host what it reads. */
  isFilled: boolean;
  work: readonly Work[];
  value: number;
  /** The number of times that a submission waited for the host. */
  gates: number;
  /** Whether the last submission still waits for the host. */
  isClosed: boolean;
  /** The signals of the pending submission; `undefined` if none is pending. */
  pending: { readonly hasFence: boolean; readonly hasValue: boolean } | undefined;
}

/** A program that is not written to its end. */
interface Draft {
  readonly context: Context;
  readonly devices: number;
  /** The device and the size of each memory that buffers share. */
  readonly blocks: (readonly [device: number, size: number])[];
  readonly buffers: PlannedBuffer[];
  readonly reads: Foretold[];
  /** The steps of each thread. */
  readonly threads: string[][];
}

/** The alignment of buffers in their memory: what drivers ask, and less than a page. */
const ALIGNMENT = 256;
const MOST_THREADS = 4, ROUNDS = 4;

/**
 * Makes a program of one to four threads. They share queues and memory or not. When they meet, they hand their slots on,
 * with submissions that are not done.
 */
export function planThreads(context: Context): Plan {
  const { choices } = context, count = choices.integer(1, MOST_THREADS);
  const devices = pick(choices, [1, 1, Math.min(2, count), count]), isShared = devices < count;
  used(context, `${count} threads`);
  if (count > 1) used(context, isShared ? "threads share queues" : "a queue for each thread");
  const threads = Array.from({ length: count }, () => []);
  const draft: Draft = { context, devices, blocks: [], buffers: [], reads: [], threads };
  const owned = slotsOf(draft), slots = owned.flat();
  for (let phase = choices.integer(1, 3); phase > 0; phase--) {
    owned.forEach((slots, thread) => {
      work(draft, slots, threads[thread]);
      // Others that use the queue would wait for this thread, which waits for them when they meet.
      if (!isShared && chance(choices, 40)) round(draft, pick(choices, slots), threads[thread], true);
    });
    for (const steps of draft.threads) steps.push("m ");
    if (count > 1 && chance(choices, 60)) {
      used(context, "submissions handed to another thread");
      owned.push(owned.shift()!);
    }
  }
  owned.forEach((slots, thread) => {
    openAll(draft, slots, threads[thread]);
    slots.forEach((slot) => collect(draft, slot, threads[thread]));
  });
  return { text: textOf(draft, slots), reads: draft.reads };
}

/** The slots of each thread, with buffers in memory that a device's threads share, that those of a thread share, or not. */
function slotsOf(draft: Draft): Slot[][] {
  const { context: { choices }, devices, threads } = draft, sharing = pick(choices, ["device", "thread", "slot"]);
  let index = 0;
  const owned = threads.map((_, thread) =>
    Array.from({ length: choices.integer(1, 3) }, (): Slot => (
      {
        index: index++,
        device: thread % devices,
        buffers: [],
        isFilled: false,
        work: [],
        value: 0,
        gates: 0,
        isClosed: false,
        pending: undefined,
      }
    ))
  );
  const all = owned.flat().filter(() => chance(choices, 70)); // the others make their buffers
  const together = sharing === "device"
    ? Array.from({ length: devices }, (_, device) => all.filter((slot) => slot.device === device))
    : sharing === "thread"
    ? owned.map((slots) => slots.filter((slot) => all.includes(slot)))
    : all.map((slot) => [slot]);
  for (const slots of together) if (slots.length > 0) layOut(draft, slots);
  used(draft.context, `memory of each ${sharing}`);
  return owned;
}

/** Places buffers of slots into one memory, in any order. */
function layOut(draft: Draft, slots: readonly Slot[]): void {
  const { context: { choices }, blocks } = draft, block = blocks.length;
  let size = 0;
  for (const [slot, isWritten] of shuffled(choices, slots.flatMap((slot) => purposes(draft, slot)))) {
    const buffer = plan(draft, isWritten, [block, size]);
    slot.buffers.push(buffer);
    size += Math.ceil(buffer.size / ALIGNMENT) * ALIGNMENT;
  }
  blocks.push([slots[0].device, size]);
}

/** A buffer for data, one or two for results. */
function purposes({ context }: Draft, slot: Slot): (readonly [Slot, boolean])[] {
  return [false, true, ...chance(context.choices, 30) ? [true] : []].map((isWritten) => [slot, isWritten] as const);
}

function plan({ context, buffers }: Draft, isWritten: boolean, place?: PlannedBuffer["place"]): PlannedBuffer {
  const size = 512 * context.choices.integer(1, 16) + 4 * ++context.buffers;
  buffers.push({ index: buffers.length, size, contents: new Uint8Array(size), isWritten, place });
  return buffers.at(-1)!;
}

/** Rounds of a thread with its slots, in any order. */
function work(draft: Draft, slots: readonly Slot[], steps: string[]): void {
  const { choices } = draft.context;
  openAll(draft, slots, steps);
  for (let left = choices.integer(1, ROUNDS * slots.length); left > 0; left--) {
    round(draft, pick(choices, slots), steps);
  }
}

/** A round of a slot. If its submission is to stay closed, another phase opens it. */
function round(draft: Draft, slot: Slot, steps: string[], staysClosed = false): void {
  const { context } = draft, { choices } = context;
  collect(draft, slot, steps);
  if (chance(choices, 5)) {
    used(context, "probing instance of a thread");
    steps.push("p ");
  }
  renew(draft, slot, steps);
  upload(draft, slot, steps);
  if (slot.work.length > 0 && chance(choices, 15)) used(context, "commands again");
  else record(draft, slot, steps);
  submit(draft, slot, steps, staysClosed);
  if (slot.isClosed && !staysClosed) openAll(draft, [slot], steps);
}

/** Lets submissions begin that wait for the host, which may still write what they read. */
function openAll(draft: Draft, slots: readonly Slot[], steps: string[]): void {
  const { context } = draft;
  for (const slot of slots) {
    if (!slot.isClosed) continue;
    if (chance(context.choices, 50)) {
      used(context, "a thread writes after the submission that reads, and before its signal");
      upload(draft, slot, steps);
    }
    steps.push(`o ${slot.index}`);
    slot.isClosed = false;
    for (const each of slot.work) each();
  }
}

/** Makes the buffers, again and again, if the thread makes them. */
function renew(draft: Draft, slot: Slot, steps: string[]): void {
  const { context } = draft, [first] = slot.buffers;
  if (first && (first.place || !chance(context.choices, 40))) return;
  if (first) used(context, "buffers of a thread replaced");
  for (const { index } of slot.buffers) steps.push(`d ${index}`);
  slot.buffers = purposes(draft, slot).map(([, isWritten]) => plan(draft, isWritten));
  Object.assign(slot, { isFilled: false, work: [] });
  for (const { index, size } of slot.buffers) steps.push(`n ${slot.device} ${index} ${size}`);
}

/** Writes new data; all that there is the first time. */
function upload({ context: { choices } }: Draft, { buffers, isFilled }: Slot, steps: string[]): void {
  for (const { index, size, contents, isWritten } of buffers) {
    if (isWritten || isFilled && !chance(choices, 80)) continue;
    const part = isFilled ? partOf(choices, { size }) : { offset: 0, size }, seed = choices.integer(0, 0xffff_fffe);
    steps.push(`w ${index} ${part.offset} ${part.size} ${seed}`);
    contents.set(bytesOf(seed, part.size), part.offset);
  }
}

/** The bytes that a thread writes. */
function bytesOf(seed: number, size: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length: size }, () => (state = Math.imul(state, 1664525) + 1013904223 >>> 0) >>> 24);
}

function record(draft: Draft, slot: Slot, steps: string[]): void {
  const { context: { choices } } = draft, { index, buffers } = slot, written = buffers.filter((each) => each.isWritten);
  steps.push(`b ${index}`);
  const work = slot.isFilled ? [] : written.map((buffer) => fill(draft, slot, buffer, steps, true));
  for (let count = choices.integer(1, 4); count > 0; count--) {
    const to = pick(choices, written), from = pick(choices, buffers.filter((each) => each !== to));
    work.push(chance(choices, 70) ? copy(draft, slot, from, to, steps) : fill(draft, slot, to, steps));
  }
  steps.push(`e ${index}`);
  Object.assign(slot, { isFilled: true, work });
}

function fill({ context: { choices } }: Draft, slot: Slot, to: PlannedBuffer, steps: string[], isWhole = false): Work {
  const { offset, size } = isWhole ? { offset: 0, size: to.size } : partOf(choices, to);
  const value = choices.integer(0, 255);
  steps.push(`f ${slot.index} ${to.index} ${offset} ${size} ${value * 0x0101_0101}`);
  return () => to.contents.fill(value, offset, offset + size);
}

function copy(draft: Draft, slot: Slot, from: PlannedBuffer, to: PlannedBuffer, steps: string[]): Work {
  const { choices } = draft.context, { offset, size } = partOf(choices, from, Math.min(from.size, to.size));
  const at = 4 * choices.integer(0, (to.size - size) / 4);
  steps.push(`c ${slot.index} ${from.index} ${to.index} ${offset} ${at} ${size}`);
  return () => to.contents.set(from.contents.subarray(offset, offset + size), at);
}

function submit({ context }: Draft, slot: Slot, steps: string[], staysClosed: boolean): void {
  const { choices } = context, hasFence = chance(choices, 75), hasValue = chance(choices, 60);
  slot.isClosed = staysClosed || chance(choices, 20);
  if (slot.isClosed) {
    used(context, staysClosed ? "a wait before the signal in another phase" : "a wait before the signal");
  }
  const gate = slot.isClosed ? ++slot.gates : 0;
  steps.push(`s ${slot.index} ${Number(hasFence)} ${hasValue ? ++slot.value : 0} ${gate}`);
  slot.pending = { hasFence, hasValue };
  if (!slot.isClosed) { for (const each of slot.work) each(); }
}

/** Waits for the results of a slot, reads them, and waits for its end. */
function collect(draft: Draft, slot: Slot, steps: string[]): void {
  if (!slot.pending) return;
  const { context } = draft, { choices } = context, { hasFence, hasValue } = slot.pending;
  const ends = [...hasFence ? "Ff" : "", ...hasValue ? "Tt" : "", ..."QD"], how = pick(choices, ["e", ...ends]);
  const wait = (way: string) => {
    used(context, `threads wait by ${WAYS[way]}`);
    steps.push(`a ${slot.index} ${way}`);
  };
  wait(how);
  for (const buffer of slot.buffers) if (buffer.isWritten && chance(choices, 85)) read(draft, buffer, steps);
  if (how === "e") wait(pick(choices, ends)); // the commands still count as pending
  slot.pending = undefined;
}

const WAYS: Readonly<Record<string, string>> = {
  F: "vkWaitForFences",
  f: "vkGetFenceStatus",
  T: "vkWaitSemaphores",
  t: "vkGetSemaphoreCounterValue",
  Q: "vkQueueWaitIdle",
  D: "vkDeviceWaitIdle",
  e: "vkGetEventStatus",
};

function read({ context, reads }: Draft, buffer: PlannedBuffer, steps: string[]): void {
  const { index, size, contents } = buffer, part = partOf(context.choices, buffer), mark = reads.length + 1;
  steps.push(`r ${mark} ${index} ${part.offset} ${part.size}`);
  reads.push({ mark, size, offset: part.offset, expected: contents.slice(part.offset, part.offset + part.size) });
}

function textOf({ devices, blocks, buffers, threads }: Draft, slots: readonly Slot[]): string {
  const head = [devices, blocks.length, buffers.length, slots.length, threads.length, ...blocks.flat()];
  const places = buffers.flatMap(({ size, place = [-1, 0] }) => [...place, size]);
  const numbers = [...head, ...places, ...slots.map(({ device }) => device)];
  return [numbers.join(" "), threads.map((steps) => steps.join("\n")).join("\n\n"), ""].join("\n");
}
