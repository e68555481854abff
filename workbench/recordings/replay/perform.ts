import { nameOfSType } from "../../../loader/codec/layout/layout.ts";
import type { StructObject } from "../../../loader/codec/values/convert.ts";
import { featuresIn } from "../record/captured_addresses.ts";
import type { VkQueue } from "../../../loader/gen/types_core_gen.ts";
import { coreName } from "../record/commands.ts";
import type { RecordedCall, RecordedLine } from "../record/line.ts";
import { parseCall, type ParsedCall } from "./arguments.ts";
import { requireLimits } from "./limits.ts";
import { type AllocateInfo, ReplayedMemory, requirementsOf } from "./memory.ts";
import { deviceExtensions, extensionsOf, instanceExtensions, withoutWindows } from "./needs.ts";
import { parseValue } from "./parse.ts";
import { capturable, getAddress, makeBuffer, opaqueOf, requireRoom, withAddress } from "./addressed.ts";
import { batchBefore, withoutWaits } from "./owed.ts";
import { present } from "./present.ts";
import { awaitEvent, readQueries, restTimeline, settle, wait, waitIdle } from "./waits.ts";
import { isPresenting } from "./refused.ts";
import { lineNumber } from "./recording_file.ts";
import type { Session } from "./session.ts";
import { isUnfinished } from "./unfinished.ts";
import { VK_BUFFER_USAGE_TRANSFER_SRC_BIT } from "../../../loader/gen/native_gen.ts";
import { zeroing } from "./carry_out.ts";

/** Replays a command that cannot simply be called again. */
type Performance = (session: Session, call: RecordedCall, parsed: ParsedCall) => void;

/** Repeats a line, by its index. */
export function perform(session: Session, line: RecordedLine, index: number): void {
  session.line = lineNumber(index);
  if ("write" in line) {
    const bytes = session.addresses.contents(bytesOf(session, line.content), line.offset);
    session.memories.get(line.write)!.write(line.offset, bytes);
  } else if ("read" in line) {
    session.settle();
    const { read: buffer, offset } = line, recorded = bytesOf(session, line.content);
    session.options.onRead?.({ buffer, offset, recorded, replayed: session.read(buffer, offset, recorded.length) });
  } else if ("command" in line) performCall(session, line);
}

function bytesOf(session: Session, content: unknown): Uint8Array<ArrayBuffer> {
  const view = parseValue({ name: "content", type: "void", kind: "void" }, content, session) as ArrayBufferView<
    ArrayBuffer
  >;
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function performCall(session: Session, call: RecordedCall): void {
  if (isUnfinished(call)) session.unfinished(call);
  const place = session.turn(call);
  if (isPresenting(call.command)) {
    present(session, call, place);
    return session.note(call);
  }
  const core = coreName(call.command), special = SPECIAL[core], parsed = parseCall(call, session);
  if (place) requireLimits(core, call.args, place.limits);
  letRest(session, core, call.args);
  if (special) special(session, call, parsed);
  else if (!NOT_AGAIN.test(core)) session.call(call, parsed);
  session.note(call);
  session.flow.note(core, call);
}

/**
 * Waits before a command on an object that the device must not be using. After
 * waits that nobody saw, the device might be.
 */
function letRest(session: Session, core: string, args: RecordedCall["args"]): void {
  if (!NEEDS_REST.test(core)) return;
  const { flow } = session;
  const names = /^vk(Begin|Reset)CommandBuffer$/.test(core) ? [args.commandBuffer] : FEW.test(core) && args.pFences;
  if (!names) return session.settle();
  const { queues, isHeld } = flow.uses(names);
  if (isHeld) flow.force();
  settle(session, isHeld ? flow.pending() : queues);
}

/** Commands on objects that a device must not be using. */
const NEEDS_REST = /^vk(BeginCommandBuffer|Destroy|Free|Reset)/;
/** Commands of which it is known which work uses their objects. */
const FEW = /^vkResetFences$/;
/** Mappings stay, and answers of queries are read where they are needed. */
const NOT_AGAIN =
  /^vk(MapMemory2?|UnmapMemory2?|(Flush|Invalidate)MappedMemoryRanges|EnumeratePhysicalDevices|GetPhysicalDevice\w+|Get\w+OpaqueCaptureAddress)$/;

const SPECIAL: Readonly<Record<string, Performance>> = {
  vkCreateInstance(session, call, { given }) {
    const names = extensionsOf(call, instanceExtensions(session.vulkan));
    const ppEnabledExtensionNames = [...new Set([...names, ...session.options.instanceExtensions ?? []])];
    const instance = session.vulkan.vkCreateInstance({ ...bareInfo(given), ppEnabledExtensionNames });
    session.name(call, call.out!.pInstance, instance);
    session.enter(call.out!.pInstance, instance);
  },
  vkCreateDevice(session, call, { given }) {
    const { gpu, queues } = session.place(call.out!.pDevice);
    const pQueueCreateInfos = queues.infos(call.args.pCreateInfo.pQueueCreateInfos);
    const ppEnabledExtensionNames = extensionsOf(call, deviceExtensions(gpu));
    const info = withoutWindows(bareInfo(given)), features = featuresIn(info);
    if (features) features.bufferDeviceAddressCaptureReplay &&= session.place(call.out!.pDevice).givesAgain;
    const device = gpu.vkCreateDevice({ ...info, pQueueCreateInfos, ppEnabledExtensionNames });
    session.name(call, call.out!.pDevice, device);
    const family = queues.copying(pQueueCreateInfos);
    if (family !== undefined) session.copying.set(device.handle, family);
  },
  vkDestroyInstance: (session, { args }) => session.leave(args.instance),
  vkDestroyDevice: (session, { args }) => session.leave(args.device),
  vkDestroySemaphore(session, call, parsed) {
    restTimeline(session, call.args.semaphore);
    session.call(call, parsed);
  },
  vkGetDeviceQueue(session, call, parsed) {
    const { queueFamilyIndex, queueIndex } = call.args;
    parsed.given.set("queueIndex", session.place(call.args.device).queues.index(queueFamilyIndex, queueIndex));
    getQueue(session, call, parsed, queueFamilyIndex);
  },
  vkGetDeviceQueue2(session, call, parsed) {
    const { queueFamilyIndex, queueIndex } = call.args.pQueueInfo,
      info = parsed.given.get("pQueueInfo") as StructObject;
    info.queueIndex = session.place(call.args.device).queues.index(queueFamilyIndex, queueIndex);
    getQueue(session, call, parsed, queueFamilyIndex);
  },
  vkCreatePipelineCache(session, call, parsed) {
    // Another driver's cache is useless.
    const { initialDataSize: _, pInitialData: __, ...info } = parsed.given.get("pCreateInfo") as StructObject;
    parsed.given.set("pCreateInfo", info);
    session.call(call, parsed);
  },
  vkCreateQueryPool(session, call, parsed) {
    session.queryTypes.set(call.out!.pQueryPool, call.args.pCreateInfo.queryType);
    session.call(call, parsed);
  },
  vkGetQueryPoolResults: readQueries,
  vkGetEventStatus: awaitEvent,
  vkCreateBuffer(session, call, parsed) {
    const info = parsed.given.get("pCreateInfo") as StructObject;
    session.sizes.set(call.out!.pBuffer, Number(info.size));
    if (session.options.onSubmit) info.usage = (info.usage as number) | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    makeBuffer(session, call, parsed);
  },
  vkAllocateMemory(session, call, { given }) {
    const { args: { device, pAllocateInfo: { pNext } }, out } = call;
    const link = pNext?.find(({ sType }: StructObject) => sType === "VkMemoryDedicatedAllocateInfo");
    const needs = link && needsOf(session, device, link), info = given.get("pAllocateInfo") as AllocateInfo;
    const isMapped = session.survey.mapped.has(out!.pMemory), { types } = session.place(device);
    const zero = zeroing(session.worker(device));
    const own = { device: session.device(device), types, zero }, { fill } = session.options;
    const plain = capturable(link?.buffer ? withoutDedication(info) : info, session.place(device).givesAgain);
    const address = opaqueOf(session, device, out!.pMemory);
    const memory = withAddress(
      plain as unknown as StructObject,
      "VkMemoryOpaqueCaptureAddressAllocateInfo",
      address,
      (allocation) => new ReplayedMemory(own, allocation as unknown as AllocateInfo, isMapped, needs, fill),
    );
    session.memories.set(out!.pMemory, memory);
    session.name(call, out!.pMemory, memory.handle);
  },
  vkFreeMemory(session, { args }) {
    session.memories.get(args.memory)?.free();
    session.memories.delete(args.memory);
  },
  vkBindBufferMemory: bindOne,
  vkBindImageMemory: bindOne,
  vkBindBufferMemory2: bindMany,
  vkBindImageMemory2: bindMany,
  vkWaitForFences: (session, call, parsed) => wait(session, coreName(call.command), call, parsed),
  vkWaitSemaphores: (session, call, parsed) => wait(session, coreName(call.command), call, parsed),
  vkGetImageSubresourceLayout: compareLayout,
  vkGetImageSubresourceLayout2: compareLayout,
  vkQueueWaitIdle: (session, call, parsed) => waitIdle(session, call.command, call, parsed),
  vkDeviceWaitIdle: (session, call, parsed) => waitIdle(session, call.command, call, parsed),
  vkGetBufferDeviceAddress: getAddress,
  vkGetAccelerationStructureDeviceAddress: getAddress,
  vkCreateAccelerationStructure(session, call, parsed) {
    session.sizes.set(call.out!.pAccelerationStructure, Number(call.args.pCreateInfo.size));
    session.call(call, parsed);
  },
  vkCmdBuildAccelerationStructures(session, call, parsed) {
    requireRoom(session, call, parsed);
    session.call(call, parsed);
  },
  vkQueueSubmit: submit,
  vkQueueSubmit2: submit,
};

function getQueue(session: Session, call: RecordedCall, parsed: ParsedCall, recordedFamily: number): void {
  const { handle } = session.call(call, parsed) as VkQueue;
  session.families.set(handle, session.family(recordedFamily));
}

/** The replay chooses its own layers and filters the extensions. */
function bareInfo(given: ReadonlyMap<string, unknown>): StructObject {
  const { enabledLayerCount: _, ppEnabledLayerNames: __, enabledExtensionCount: ___, ...info } = given.get(
    "pCreateInfo",
  ) as StructObject;
  return info;
}

/** Memory that is for one buffer alone could not be zeroed through another. */
function withoutDedication({ pNext = [], ...info }: AllocateInfo): AllocateInfo {
  return { ...info, pNext: pNext.filter(({ sType }) => nameOfSType(sType) !== "VkMemoryDedicatedAllocateInfo") };
}

function needsOf(session: Session, device: string, { buffer, image }: StructObject) {
  const type = buffer ? "VkBuffer" : "VkImage";
  return requirementsOf(session.device(device), type, session.handle(type, buffer ?? image));
}

/** Returns the place of a buffer or image of a bind call. A plane of an image is named in a chain, which stays. */
function place(session: Session, device: string, info: StructObject): StructObject {
  const name = (info.buffer ?? info.image) as string, memory = session.memories.get(info.memory as string);
  if (!memory || info.pNext) return {};
  const found = memory.place(name, Number(info.memoryOffset), needsOf(session, device, info));
  if (found.memory !== memory.handle) session.moved(name);
  return found as unknown as StructObject;
}

function bindOne(session: Session, call: RecordedCall, parsed: ParsedCall): void {
  for (const [name, value] of Object.entries(place(session, call.args.device, call.args))) {
    parsed.given.set(name, value);
  }
  session.call(call, parsed);
}

function bindMany(session: Session, call: RecordedCall, parsed: ParsedCall): void {
  const { device, pBindInfos } = call.args, infos = parsed.given.get("pBindInfos") as StructObject[];
  parsed.given.set(
    "pBindInfos",
    infos.map((info, index) => ({ ...info, ...place(session, device, pBindInfos[index]) })),
  );
  session.call(call, parsed);
}

/** The program has written to the image with the recording driver's layout. */
function compareLayout(session: Session, call: RecordedCall, { self, plan, given }: ParsedCall): void {
  const recorded = call.out!.pLayout.subresourceLayout ?? call.out!.pLayout;
  const found = session.object(self)[plan.command.name](given.get("image"), given.get("pSubresource"));
  const here = found.subresourceLayout ?? found;
  for (const member of ["offset", "rowPitch"]) {
    if (`${here[member]}` === recorded[member]) continue;
    throw new TypeError(
      `${call.args.image} has ${member} ${recorded[member]} in the recording and ${here[member]} here; ` +
        "what the program wrote there does not fit",
    );
  }
}

/** Signals and waits for semaphores as the window system would have, before a submission that may depend on that. */
function payFirst(session: Session, call: RecordedCall, { given }: ParsedCall): void {
  const handle = (name: string) => session.handle("VkSemaphore", name);
  for (const [owner, before] of session.owed.take(call)) {
    const isNewer = coreName(call.command) === "vkQueueSubmit2", isOwn = owner === call.args.queue;
    const batches = given.get("pSubmits") as StructObject[] ?? [];
    const without = isOwn ? withoutWaits(batches, new Set(before.signals.map(handle))) : undefined;
    const first = without ? { ...before, signals: [] } : before,
      isNeeded = first.waits.length + first.signals.length > 0;
    const batch = isNeeded ? [batchBefore(first, handle, isNewer && isOwn)] : [];
    if (isOwn) given.set("pSubmits", [...batch, ...without ?? batches]);
    else (session.object(owner) as unknown as VkQueue).vkQueueSubmit(batch as never);
  }
}

/** A submission goes to the device when what it waits for has been given. */
function submit(session: Session, call: RecordedCall, parsed: ParsedCall): void {
  const { queue: name } = call.args, submission = session.submissions++, { onSubmit } = session.options;
  session.flow.submit(call, session.line, () => {
    payFirst(session, call, parsed);
    session.call(call, parsed);
    if (!onSubmit) return;
    settle(session, [name]);
    const queue = session.object(name) as unknown as VkQueue;
    onSubmit({ submission, read: (buffer) => session.read(buffer, 0, session.sizes.get(buffer) ?? 0, queue)! });
  });
  if (session.flow.isFull) session.settle();
}
