import { closeDescriptor } from "../../../ffi/file/file_descriptor.ts";
import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import type { ReleaseFence } from "../../composer_records.ts";
import { HwcError, hwcErrorName } from "../../hwc_error.ts";
import { FORMAT } from "../../types.ts";
import { closeSent } from "./sent_slots.ts";
import type { Buffer, CommandResultPayload, DisplayCommand, LayerCommand } from "../gen/composer3_gen.ts";

type Draft<Whole> = { -readonly [Name in keyof Whole]?: Whole[Name] };
/** Settings of a layer: composer3's members, and what HIDL alone has. */
export interface LayerSettings extends LayerCommand {
  /** A vendor's own metadata. */
  readonly genericMetadata?: { readonly key: string; readonly mandatory: boolean; readonly value: Uint8Array } | null;
}

/** Settings of a display, and steps of its frame. */
export interface DisplaySettings extends Omit<DisplayCommand, "layers"> {
  readonly layers: readonly LayerSettings[];
}

type LayerDraft = Draft<LayerSettings> & { readonly layer: bigint };

/** A display's commands that wait, and what they were called by. */
interface Waiting {
  readonly command: Draft<Omit<DisplayCommand, "display" | "layers">>;
  readonly display: bigint;
  readonly layers: Map<bigint, LayerDraft>;
  readonly names: string[];
  /** Undoes what is not true if the service could not do it. */
  readonly undo: (() => void)[];
}

/** The answer of a batch about one display. */
export interface DisplayAnswer {
  changes: { layer: bigint; type: number }[];
  requests: { displayRequests: number; layerRequests: { layer: bigint; requests: number }[] };
  target: { pixelFormat: number; dataspace: number };
  present: NativeFence | undefined;
  releases: ReleaseFence[];
}

type Send = (commands: readonly DisplaySettings[]) => Promise<readonly CommandResultPayload[]>;

/**
 * Commands that go over together. A command of a display holds each setting once: one that is set again, or behind an
 * accepting, begins a new command, so that all is done in the order of the calls.
 */
export class CommandQueue {
  readonly #send: Send;
  #waiting: Waiting[] = [];

  /** An empty one, and how to send. */
  constructor(send: Send) {
    this.#send = send;
  }

  /** Whether anything waits. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Sets something of a display. */
  setDisplay<Name extends keyof Waiting["command"]>(
    method: string,
    display: bigint,
    name: Name,
    value: Waiting["command"][Name],
    undo?: () => void,
  ): void {
    const waiting = this.#next(display, ({ command }) => name in command || this.#isClosed(command));
    waiting.command[name] = value;
    waiting.names.push(method);
    if (undo) waiting.undo.push(undo);
  }

  /** Sets something of a layer. */
  setLayer<Name extends keyof LayerSettings>(
    method: string,
    display: bigint,
    layer: bigint,
    name: Name,
    value: LayerSettings[Name],
    undo?: () => void,
  ): void {
    const waiting = this.#next(display, ({ command, layers }) => {
      return this.#isClosed(command) || name in (layers.get(layer) ?? {});
    });
    let draft = waiting.layers.get(layer);
    if (!draft) waiting.layers.set(layer, draft = { layer });
    (draft as Draft<LayerSettings>)[name] = value;
    waiting.names.push(method);
    if (undo) waiting.undo.push(undo);
  }

  /**
   * Sends all of it, and returns what was told of a display. What stands before the last command of the display goes
   * first: if it fails, the last is not done. Throws the first failure.
   */
  async flush(method: string, display?: bigint): Promise<DisplayAnswer> {
    const waiting = this.#waiting;
    this.#waiting = [];
    const last = waiting.findLastIndex((one) => one.display === display), isSplit = last > 0 && waiting.length > 1;
    const answers: DisplayAnswer[] = [];
    try {
      for (const part of isSplit ? [waiting.filter((_, at) => at !== last), [waiting[last]]] : [waiting]) {
        if (part.length > 0) answers.push(await this.#exchange(method, part, display));
      }
    } finally {
      waiting.forEach(closeSentOf);
    }
    return answers.at(-1) ?? nothingTold();
  }

  /** Forgets all that waits. */
  drop(): void {
    this.#waiting.forEach(closeSentOf);
    this.#waiting = [];
  }

  async #exchange(method: string, part: readonly Waiting[], display: bigint | undefined): Promise<DisplayAnswer> {
    const results = await this.#send(part.map(({ display, command, layers }) => ({
      validateDisplay: false,
      acceptDisplayChanges: false,
      presentDisplay: false,
      presentOrValidateDisplay: false,
      ...command,
      display,
      layers: [...layers.values()],
    })));
    const answer = nothingTold(), errors: HwcError[] = [];
    for (const result of results) {
      if (result.tag === "error") {
        part[result.value.commandIndex]?.undo.forEach((undo) => undo());
        errors.push(errorOf(method, result.value, part));
      } else readResult(answer, result, display);
    }
    if (errors.length === 0) return answer;
    closeAnswer(answer);
    throw errors[0];
  }

  #isClosed(command: Waiting["command"]): boolean {
    return "acceptDisplayChanges" in command;
  }

  #next(display: bigint, isFull: (waiting: Waiting) => boolean): Waiting {
    const found = this.#waiting.findLast((one) => one.display === display);
    if (found && !isFull(found)) return found;
    const made: Waiting = { display, command: {}, layers: new Map(), names: [], undo: [] };
    this.#waiting.push(made);
    return made;
  }
}

function nothingTold(): DisplayAnswer {
  return {
    changes: [],
    requests: { displayRequests: 0, layerRequests: [] },
    target: { pixelFormat: FORMAT.RGBA_8888, dataspace: 0 },
    present: undefined,
    releases: [],
  };
}

/** The service says which command failed, not which setting: a command with one setting is named by it. */
function errorOf(
  method: string,
  { commandIndex, errorCode }: { readonly commandIndex: number; readonly errorCode: number },
  part: readonly Waiting[],
): HwcError {
  const { names, layers } = part[commandIndex] ?? { names: [], layers: new Map() };
  const name = names.length === 1 ? names[0] : method;
  const among = names.length > 1 ? `, one of ${[...new Set(names)].join(", ")}` : "";
  const error = new HwcError(
    name,
    errorCode,
    `the service answers command ${commandIndex} by ${hwcErrorName(errorCode)}${among}`,
  );
  return layers.size === 1 ? Object.assign(error, { layer: [...layers.keys()][0] }) : error;
}

/** Takes a result in; one of another display is not asked for. */
function readResult(
  answer: DisplayAnswer,
  result: Exclude<CommandResultPayload, { tag: "error" }>,
  display: bigint | undefined,
): void {
  const isAsked = BigInt.asUintN(64, result.value.display) === display;
  if (!isAsked) return closeResult(result);
  switch (result.tag) {
    case "changedCompositionTypes":
      answer.changes = result.value.layers.map(({ layer, composition: type }) => ({ layer: id(layer), type }));
      break;
    case "displayRequest": {
      const { mask: displayRequests, layerRequests } = result.value;
      const all = layerRequests.map(({ layer, mask: requests }) => ({ layer: id(layer), requests }));
      answer.requests = { displayRequests, layerRequests: all };
      break;
    }
    case "clientTargetProperty":
      answer.target = { ...result.value.clientTargetProperty };
      break;
    case "presentFence":
      answer.present = NativeFence.adopt(result.value.fence);
      for (const { bufferFence } of result.value.layerPresentFences ?? []) closeDescriptor(bufferFence);
      break;
    case "releaseFences":
      answer.releases = result.value.layers.map(({ layer, fence }) => ({
        layer: id(layer),
        fence: NativeFence.adopt(fence),
      }));
      break;
    default:
      closeResult(result);
  }
}

function id(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

/** Closes the descriptors of a result that nobody wants. */
function closeResult(result: CommandResultPayload): void {
  if (result.tag === "presentFence") {
    closeDescriptor(result.value.fence);
    for (const { bufferFence } of result.value.layerPresentFences ?? []) closeDescriptor(bufferFence);
  } else if (result.tag === "releaseFences") { for (const { fence } of result.value.layers) closeDescriptor(fence); }
  else if (result.tag === "displayLuts") {
    for (const { luts } of result.value.layerLuts) closeDescriptor(luts.pfd ?? -1);
  }
}

function closeAnswer({ present, releases }: DisplayAnswer): void {
  present?.close();
  for (const { fence } of releases) fence.close();
}

/** Closes the descriptors that a command was sent with. */
function closeSentOf({ command, layers }: Waiting): void {
  const close = (buffer: Buffer | null | undefined) => {
    closeSent(buffer?.handle);
    closeDescriptor(buffer?.fence ?? -1);
  };
  close(command.clientTarget?.buffer);
  close(command.virtualDisplayOutputBuffer);
  for (const { buffer } of layers.values()) close(buffer);
}
