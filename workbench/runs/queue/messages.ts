import type { DeqpStatus } from "../deqp/status.ts";

/** The version of the messages: workers take no runs of another one. */
export const PROTOCOL = 2;

/**
 * The properties that a worker must have, by `driver`, `device`, `uuid`, `os`, `arch`, `beside` (a second driver), or the
 * name of a tag.
 */
export type Requirements = Readonly<Record<string, string>>;

/** A run, as workers and machines that join the run read about it. */
export interface RunRecord {
  /** The version of the messages. */
  readonly protocol: number;
  /** The version of the library. Workers of another version take no tasks of the run. */
  readonly version: string;
  /** The kind of task, which chooses a handler of the worker. */
  readonly kind: string;
  /** The classes of requirements, by number. */
  readonly groups: readonly Requirements[];
  /** The common part of all tasks. */
  readonly common: unknown;
  /** The number of workers that may be lost over one piece of work, beside the first. */
  readonly retries: number;
  /** Milliseconds without a sign of life after which a task is given to another worker. */
  readonly patience: number;
  /** The time at which the run was made, in milliseconds since 1970. */
  readonly created: number;
  /** The number of rounds that are wholly in the queue. */
  readonly rounds: number;
  /**
   * The end of the time in which workers may begin tasks, in milliseconds since 1970; absent in a run without a key.
   */
  readonly until?: number;
  /** The signature of all but the rounds; absent in a run without a key. */
  readonly signature?: string;
}

/** A task: one or several pieces of work for one worker. */
export interface TaskMessage {
  /** The keys of the pieces. */
  readonly keys: readonly string[];
  /** The work of each piece; absent where the keys say everything. */
  readonly work?: readonly unknown[];
}

/** A verdict about a piece of a task: index, status, message, seconds, details, and 1 if it is not tried again. */
export type PieceVerdict = readonly [
  index: number,
  status: DeqpStatus,
  message: string,
  seconds?: number | null,
  details?: unknown,
  isFinal?: 1,
];

/** Verdicts about pieces of a task. */
export interface ResultMessage {
  /** The worker. */
  readonly worker: string;
  /** The number of the delivery that the verdicts belong to, from 1. */
  readonly delivery: number;
  /** The verdicts. */
  readonly verdicts: readonly PieceVerdict[];
  /** The index of a piece that the worker begins alone: the worker counts as lost over the piece until its verdict. */
  readonly begun?: number;
  /** The index of a piece that the worker had begun alone, and gives back: the worker is not lost. */
  readonly left?: number;
}

/** A worker's report on its current work. */
export interface ProgressMessage {
  /** The worker. */
  readonly worker: string;
  /** The key of a piece of work that begins. */
  readonly key: string;
}

/** A driver that a worker has. */
export interface CardDriver {
  /** The name, such as `lvp`. */
  readonly name: string;
  /** The library or manifest. */
  readonly path: string;
  /** The devices. */
  readonly devices: readonly CardDevice[];
}

/** A device of a driver. */
export interface CardDevice {
  /** The name that the driver gives. */
  readonly name: string;
  /** The UUID, in hexadecimal digits. */
  readonly uuid: string;
  /** The driver's version, as the driver has it. */
  readonly driverVersion: number;
  /** The version of Vulkan, such as `1.3.230`. */
  readonly api: string;
}

/** The card by which a worker presents itself. */
export interface WorkerCard {
  /** A name that no other worker has. */
  readonly worker: string;
  /** The version of the messages. */
  readonly protocol: number;
  /** The version of the library. */
  readonly version: string;
  /** The name of the machine. */
  readonly host: string;
  /** The number of the process. */
  readonly pid: number;
  /** The operating system. */
  readonly os: string;
  /** The processor. */
  readonly arch: string;
  /** The public key of the tasks that the worker takes; absent if the worker takes all. */
  readonly key?: string;
  /** Tasks that may run at a time on one device. */
  readonly slots: number;
  /** Facts that the worker's owner gave. */
  readonly tags: Readonly<Record<string, string>>;
  /** The drivers. */
  readonly drivers: readonly CardDriver[];
}

/** Makes a message of data. */
export function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** Reads verdicts; `undefined` for a message that has none: whoever reaches the queue can write there. */
export function readResult(bytes: Uint8Array): ResultMessage | undefined {
  const message = parsed(bytes);
  if (!isObject(message) || typeof message.worker !== "string" || !Array.isArray(message.verdicts)) return undefined;
  const indices = [message.delivery, message.begun ?? 0, message.left ?? 0];
  if (!indices.every(isIndex) || !message.verdicts.every(isVerdict)) return undefined;
  return message as unknown as ResultMessage;
}

/** Reads the card of a worker; `undefined` for another message. */
export function readCard(bytes: Uint8Array): WorkerCard | undefined {
  const card = parsed(bytes);
  if (!isObject(card) || !isIndex(card.slots) || !isIndex(card.pid) || !isTexts(card.tags)) return undefined;
  const texts = [card.worker, card.version, card.host, card.os, card.arch, card.key ?? ""];
  if (!texts.every(isText) || !Array.isArray(card.drivers) || !card.drivers.every(isDriver)) return undefined;
  return card as unknown as WorkerCard;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTexts(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isText);
}

function isIndex(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isVerdict(value: unknown): boolean {
  return Array.isArray(value) && isIndex(value[0]) && isText(value[1]) && isText(value[2]) &&
    ["number", "undefined"].includes(typeof (value[3] ?? undefined));
}

function isDriver(value: unknown): boolean {
  return isObject(value) && [value.name, value.path].every(isText) && Array.isArray(value.devices) &&
    value.devices.every((device) => isObject(device) && [device.name, device.uuid, device.api].every(isText));
}

/** Reads a message. */
export function decode<Value>(bytes: Uint8Array): Value {
  return JSON.parse(new TextDecoder().decode(bytes));
}
