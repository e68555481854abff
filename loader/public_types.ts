/**
 * The types that every entry of the loader exports, including the lean entry.
 *
 * @module
 */
export type { VulkanOptions } from "./options.ts";
export type { PropertySource } from "../ffi/android/properties.ts";
export type { AndroidApp, AndroidSearch } from "./driver/android/options.ts";
export type { AndroidRelease, WindowSystem } from "./driver/android/options.ts";
export type { FileStamp, Host, ProcessIdentity } from "./driver/host/host.ts";
export type { Platform } from "./driver/search/search.ts";
export type { DriverSearch } from "./driver/search/search.ts";
export type { WantedDriver } from "./driver/choice.ts";
export type { Vulkan } from "./api/vulkan.ts";
export type { InstalledVulkan } from "./api/installed_vulkan.ts";
export type { DirectDriver } from "./driver/interface/driver.ts";
export type { Finding, FindingSubject } from "./driver/report/finding.ts";
export type { HandleName, StructTypes } from "./gen/names_gen.ts";
export type {
  CreateInfo,
  DefinedLayer,
  DeviceChanges,
  InfoName,
  KeyedHandle,
  LayerContext,
  LayerDefinition,
  LayerStates,
  NewObject,
  NumberReader,
  SomeOf,
  StateMakers,
  StateTypes,
} from "./layers/define/definition.ts";
export type {
  AnyHook,
  CopiedMemory,
  ForeignCall,
  ForeignThreadPolicy,
  Hook,
  HooksByName,
  Layer,
  LayerControls,
  LayerExtension,
  LayerHooks,
  LayerPlace,
  NewCommand,
  RawCommand,
  ReplacedLayer,
} from "./layer.ts";
