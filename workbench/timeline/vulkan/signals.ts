import type { TraceFields, TraceValue } from "../../../loader/layers/shipped/trace/line.ts";

/** The fences and semaphores that a call signals and waits for, as text, a timeline's value after `=`. */
export interface Signals {
  /** The objects that the call's work will signal. */
  readonly signals: readonly string[];
  /** The objects that the call, or its work, waits for. */
  readonly waits: readonly string[];
}

const NOTHING: Signals = { signals: [], waits: [] };

/** Reads the signals of a call from its decoded inputs; absent for commands without any. */
const READERS: Readonly<Record<string, (inputs: TraceFields) => Signals>> = {
  vkQueueSubmit: ({ pSubmits, fence }) =>
    joined(objects(pSubmits).map(ofSubmit), { signals: real([fence]), waits: [] }),
  vkQueueSubmit2: ({ pSubmits, fence }) =>
    joined(objects(pSubmits).map(ofSubmit2), { signals: real([fence]), waits: [] }),
  vkQueueBindSparse: ({ pBindInfo, fence }) =>
    joined(objects(pBindInfo).map(ofSubmit), { signals: real([fence]), waits: [] }),
  vkQueuePresentKHR: ({ pPresentInfo }) => ({ signals: [], waits: real(fields(pPresentInfo).pWaitSemaphores) }),
  vkAcquireNextImageKHR: ({ semaphore, fence }) => ({ signals: real([semaphore, fence]), waits: [] }),
  vkAcquireNextImage2KHR: ({ pAcquireInfo }) => {
    const { semaphore, fence } = fields(pAcquireInfo);
    return { signals: real([semaphore, fence]), waits: [] };
  },
  vkWaitForFences: ({ pFences }) => ({ signals: [], waits: real(pFences) }),
  vkGetFenceStatus: ({ fence }) => ({ signals: [], waits: real([fence]) }),
  vkWaitSemaphores: ({ pWaitInfo }) => {
    const { pSemaphores, pValues } = fields(pWaitInfo);
    return { signals: [], waits: named(pSemaphores, pValues) };
  },
  vkSignalSemaphore: ({ pSignalInfo }) => {
    const { semaphore, value } = fields(pSignalInfo);
    return { signals: named([semaphore], [value]), waits: [] };
  },
};

/** The reader of a command's signals; `undefined` for a command that neither signals nor waits. */
export function signalReader(command: string): ((inputs: TraceFields) => Signals) | undefined {
  return READERS[command.replace(/^(vkQueueSubmit2|vkWaitSemaphores|vkSignalSemaphore)KHR$/, "$1")];
}

function joined(parts: readonly Signals[], own: Signals): Signals {
  const all = [...parts, own];
  return { signals: all.flatMap(({ signals }) => signals), waits: all.flatMap(({ waits }) => waits) };
}

/** VkSubmitInfo or VkBindSparseInfo, with the values of timeline semaphores in the chain. */
function ofSubmit({ pNext, pWaitSemaphores, pSignalSemaphores }: TraceFields): Signals {
  const timeline = objects(pNext).find((each) => each.pSignalSemaphoreValues !== undefined);
  return {
    signals: named(pSignalSemaphores, timeline?.pSignalSemaphoreValues),
    waits: named(pWaitSemaphores, timeline?.pWaitSemaphoreValues),
  };
}

function ofSubmit2({ pWaitSemaphoreInfos, pSignalSemaphoreInfos }: TraceFields): Signals {
  const all = (infos: TraceValue) => objects(infos).flatMap(({ semaphore, value }) => named([semaphore], [value]));
  return { ...NOTHING, signals: all(pSignalSemaphoreInfos), waits: all(pWaitSemaphoreInfos) };
}

/** Semaphores with their values. Binary semaphores have the value 0 or none. */
function named(handles: TraceValue | undefined, values: TraceValue | undefined): string[] {
  const list = Array.isArray(values) ? values : [];
  return (Array.isArray(handles) ? handles : []).flatMap((handle, index) => {
    const value = `${list[index] ?? 0}`;
    return real([handle]).map((name) => value === "0" ? name : `${name}=${value}`);
  });
}

/** The handles of a list that are not VK_NULL_HANDLE. */
function real(handles: TraceValue | undefined): string[] {
  return (Array.isArray(handles) ? handles : []).filter((each) => each !== null && each !== "0x0").map(String);
}

function objects(value: TraceValue | undefined): TraceFields[] {
  return (Array.isArray(value) ? value : []) as TraceFields[];
}

function fields(value: TraceValue | undefined): TraceFields {
  return (value ?? {}) as TraceFields;
}
