/**
 * Whether a layer counts: by the usual rules, always, or never; or the place of
 * all layers that the file does not name.
 */
export type LayerControl = "auto" | "on" | "off" | "unordered_layer_location";

/** The settings of one layer, in order. */
export interface LayerSetting {
  /** The layer's name; `""` for the place of all others. */
  readonly name: string;
  /** The manifest; `""` for the place of all others. */
  readonly path: string;
  /** Whether it counts. */
  readonly control: LayerControl;
  /** Whether the manifest is read as that of an implicit layer. */
  readonly implicit: boolean;
}

/** A physical device by its identity. */
export interface DeviceConfiguration {
  /** VkPhysicalDeviceIDProperties.deviceUUID, 16 bytes. */
  readonly deviceUUID: Uint8Array;
  /** VkPhysicalDeviceIDProperties.driverUUID, 16 bytes. */
  readonly driverUUID: Uint8Array;
  /** VkPhysicalDeviceProperties.driverVersion. */
  readonly driverVersion: number;
  /** VkPhysicalDeviceProperties.deviceName, for people; `""` when not given. */
  readonly deviceName: string;
  /** VkPhysicalDeviceDriverProperties.driverName, for people; `""` when not given. */
  readonly driverName: string;
}

/** The settings file's contents for this program. */
export interface LoaderSettings {
  /** The file. */
  readonly path: string;
  /** The layers in order, top to bottom; absent if the file has no layers. */
  readonly layers?: readonly LayerSetting[];
  /** Bits of `LOG` for messages to standard error, in addition to those of VK_LOADER_DEBUG. */
  readonly stderrLog: number;
  /** Manifests of additional drivers. */
  readonly additionalDrivers: readonly string[];
  /** Whether these are the only drivers. */
  readonly additionalDriversExclusively: boolean;
  /** The only visible physical devices, in this order; absent if all are visible. */
  readonly deviceConfigurations?: readonly DeviceConfiguration[];
}
