import { executableCode } from "../../../../ffi/executable.ts";
import { poke32 } from "../../../../ffi/machine.ts";
import type { ThunkOptions } from "../../../../ffi/thunk/thunk.ts";
import type { NativeCall } from "../../../command/compile.ts";
import { allExtensions } from "../../../command/registry/extension.ts";
import { firstParameter } from "../../../command/registry/table.ts";
import { writeExtensionList } from "../../../driver/interface/extension_list.ts";
import { INSTANCE_NAMES } from "../../../gen/command_table_gen.js";
import type { LayerExtension } from "../../../layer.ts";
import { LOADER_VERSION } from "../../../version.ts";
import { joinedCode, type Thunks } from "../code.ts";
import type { Messengers } from "../messages/messengers.ts";
import type { JoinedInstance } from "./joined_instance.ts";
import { VK_ERROR_INITIALIZATION_FAILED } from "../../../gen/native_gen.ts";

/** The work behind the commands of a joined driver. */
export interface JoinedActions {
  /** Returns the instance of a handle. */
  of(instance: bigint): JoinedInstance;
  /** Implements vkDestroyInstance. */
  destroyInstance(instance: bigint, allocator: bigint): void;
  /** Implements vkCreateDevice. */
  createDevice(gpu: bigint, info: bigint, allocator: bigint, out: bigint): number;
}

type Commands = Record<string, bigint>;

/**
 * Machine code destroys objects in all members when other threads destroy them,
 * or when Deno itself does so during garbage collection, when no JavaScript may
 * run. Only our memory stays until this thread learns of the destruction.
 */
function destroying(next: bigint): ThunkOptions {
  return { onForeignThread: "skip", shunned: executableCode(), next };
}

/** The commands that need no instance, by name. The extensions are those listed; the version is the registry's. */
export function globalCommands(
  thunks: Thunks,
  listed: () => readonly LayerExtension[],
  createInstance: (info: bigint, allocator: bigint, out: bigint) => number,
): ReadonlyMap<string, bigint> {
  const commands: Record<string, NativeCall> = {
    vkCreateInstance: createInstance,
    vkEnumerateInstanceVersion(out) {
      poke32(out, LOADER_VERSION);
      return 0;
    },
    vkEnumerateInstanceExtensionProperties: (_layer, count, out) => writeExtensionList(listed(), count, out),
  };
  return new Map(Object.entries(all(thunks, commands)));
}

/** The commands whose first parameter is an instance of ours, and vkCreateDevice. */
export function instanceCommands(thunks: Thunks, actions: JoinedActions): Commands {
  const { of } = actions, { list, listGroups, destroyInstance, destroySurface } = joinedCode()!;
  const { enumerate, enumerateGroups } = listing(of);
  const groups = thunks.command("vkEnumeratePhysicalDeviceGroups", enumerateGroups, { next: listGroups });
  return {
    vkEnumeratePhysicalDevices: thunks.command("vkEnumeratePhysicalDevices", enumerate, { next: list }),
    vkEnumeratePhysicalDeviceGroups: groups,
    vkEnumeratePhysicalDeviceGroupsKHR: groups,
    vkDestroyInstance: thunks.command("vkDestroyInstance", actions.destroyInstance, destroying(destroyInstance)),
    vkDestroySurfaceKHR: thunks.command(
      "vkDestroySurfaceKHR",
      (instance, surface, allocator) => of(instance)?.surfaces.destroy(surface, allocator),
      destroying(destroySurface),
    ),
    vkCreateDevice: thunks.command("vkCreateDevice", actions.createDevice),
    ...all(thunks, surfaces(of)),
    ...all(thunks, debugging((instance) => listeners(of(instance)))),
  };
}

/** The functions that other threads call after a driver's devices have changed. They wait for this thread. */
export function changedLists(thunks: Thunks, of: JoinedActions["of"]): { devices: bigint; groups: bigint } {
  const { enumerate, enumerateGroups } = listing(of);
  return {
    devices: thunks.command("vkEnumeratePhysicalDevices", enumerate),
    groups: thunks.command("vkEnumeratePhysicalDeviceGroups", enumerateGroups),
  };
}

function listing(of: JoinedActions["of"]): Record<"enumerate" | "enumerateGroups", NativeCall> {
  return {
    enumerate: (instance, count, out) => of(instance).enumerate(count, out),
    enumerateGroups: (instance, count, out) => of(instance).enumerateGroups(count, out),
  };
}

/** The messengers of an instance, which hear first what there was to hear. */
function listeners(instance: JoinedInstance): Messengers {
  instance.tellTrimmed();
  return instance.messengers;
}

function all(thunks: Thunks, commands: Readonly<Record<string, NativeCall>>): Commands {
  return Object.fromEntries(Object.entries(commands).map(([name, run]) => [name, thunks.command(name, run)]));
}

function surfaces(of: JoinedActions["of"]): Record<string, NativeCall> {
  return Object.fromEntries(
    surfaceCommands().map((name) => [
      name,
      (instance, info, allocator, out) => of(instance).surfaces.create(name, info, allocator, out),
    ]),
  );
}

/** The commands by which an application listens and sends messages. For an unknown instance they do nothing. */
export function debugging(of: (instance: bigint) => Messengers | undefined): Record<string, NativeCall> {
  const create = (kind: "utils" | "report"): NativeCall => (instance, info, allocator, out) =>
    of(instance)?.create(kind, info, allocator, out) ?? VK_ERROR_INITIALIZATION_FAILED;
  const destroy: NativeCall = (instance, handle, allocator) => of(instance)?.destroy(handle, allocator);
  return {
    vkCreateDebugUtilsMessengerEXT: create("utils"),
    vkCreateDebugReportCallbackEXT: create("report"),
    vkDestroyDebugUtilsMessengerEXT: destroy,
    vkDestroyDebugReportCallbackEXT: destroy,
    vkSubmitDebugUtilsMessageEXT: (instance, severity, types, data) => of(instance)?.submit(severity, types, data),
    vkDebugReportMessageEXT: (instance, ...rest) => of(instance)?.report(...rest as Parameters<Messengers["report"]>),
  };
}

let ofGpu: readonly string[] | undefined;

/** The commands on physical devices, not on the instance itself, that are passed to the member of the device. */
export function physicalDeviceCommands(): readonly string[] {
  return ofGpu ??= INSTANCE_NAMES.split(" ").filter((name) => firstParameter("instance", name) === "physicalDevice");
}

/** The commands that create surfaces. */
export function surfaceCommands(): readonly string[] {
  return INSTANCE_NAMES.split(" ").filter((name) => /^vkCreate\w*Surface\w*$/.test(name));
}

/** The instance extensions of the registry. */
export function knownInstanceExtensions(): Set<string> {
  return new Set(allExtensions().filter(({ kind }) => kind === "instance").map(({ name }) => name));
}
