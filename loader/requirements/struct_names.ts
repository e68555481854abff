import { findLine } from "../codec/layout/layout.ts";
import { isFeatures } from "../layers/shipped/limits/settings.ts";

/** Earlier names of structs that differ by more than an author's suffix. */
const EARLIER_NAMES: Readonly<Record<string, string>> = {
  VkPhysicalDeviceVariablePointerFeatures: "VkPhysicalDeviceVariablePointersFeatures",
  VkPhysicalDeviceShaderDrawParameterFeatures: "VkPhysicalDeviceShaderDrawParametersFeatures",
  VkPhysicalDeviceFloat16Int8Features: "VkPhysicalDeviceShaderFloat16Int8Features",
  VkPhysicalDeviceBufferAddressFeatures: "VkPhysicalDeviceBufferDeviceAddressFeatures",
};

/**
 * Returns the name of a struct in the registry's tables. Many structs also have
 * the names of the extensions that they came from.
 */
export function structName(name: string): string | undefined {
  if (findLine(name)) return name;
  const plain = name.replace(/(KHR|EXT|NV|AMD|ARM|QCOM|VALVE|INTEL|GOOGLE)$/, ""),
    current = EARLIER_NAMES[plain] ?? plain;
  return [current, ...["KHR", "EXT"].map((author) => current + author)].find(findLine);
}

/** Whether a struct has features or properties. */
export function structKind(name: string): "Features" | "Properties" {
  return isFeatures(name) ? "Features" : "Properties";
}
