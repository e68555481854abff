/** Whether a layer counts: by the usual rules, always, or never; or the place of all layers the file does not name. */
export type LayerControl = "auto" | "on" | "off" | "unordered_layer_location";

/** What the settings file says of one layer, in its place. */
export interface LayerSetting {
  /** The layer's name; `""` for the place of all others. */
  readonly name: string;
  /** Its manifest; `""` for the place of all others. */
  readonly path: string;
  /** Whether it counts. */
  readonly control: LayerControl;
  /** Whether the manifest is read as that of an implicit layer. */
  readonly implicit: boolean;
}

/** A physical device by what tells it from all others. */
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

/** What the settings file says to this program. */
export interface LoaderSettings {
  /** The file. */
  readonly path: string;
  /** The layers in order, top to bottom; absent when the file says nothing of layers. */
  readonly layers?: readonly LayerSetting[];
  /** Bits of `LOG`: what is said on standard error beside what VK_LOADER_DEBUG asks for. */
  readonly stderrLog: number;
  /** Manifests of drivers to be used beside those found. */
  readonly additionalDrivers: readonly string[];
  /** Whether those are the only ones. */
  readonly additionalDriversExclusively: boolean;
  /** The only physical devices to be seen, in this order; absent when all are. */
  readonly deviceConfigurations?: readonly DeviceConfiguration[];
}
