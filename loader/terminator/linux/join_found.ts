import type { Driver } from "../../driver/driver.ts";
import type { Finding } from "../../driver/finding.ts";
import type { FoundDriver } from "../../driver/found_driver.ts";
import type { Host } from "../../driver/host.ts";
import { Variables } from "../../driver/variables.ts";
import { parseDeviceSelect } from "./device_order.ts";
import { visibleDevices } from "./id_filter.ts";
import { joinDrivers } from "./join.ts";
import { memberOf } from "./member.ts";
import type { DeviceChoice } from "./physical_devices.ts";
import type { Say } from "./say.ts";

/**
 * Puts the drivers a search found behind one, by the rules of Linux: what the
 * environment says of their devices is read now. Takes the drivers over unless
 * it returns `undefined`, where emitted code cannot be used.
 */
export function joinFound(found: readonly FoundDriver[], host: Host, report: Finding[], say: Say): Driver | undefined {
  const variables = new Variables(host, report), choice = readChoice(variables);
  const members = found.map(({ driver, ...hints }) => memberOf(driver, hints));
  const keep = variables.honour("VK_LOADER_DISABLE_INST_EXT_FILTER", "also unknown instance extensions are listed");
  return joinDrivers(members, {
    choice: () => choice,
    keepsUnknownExtensions: (Number.parseInt(keep) || 0) !== 0,
    say,
  });
}

function readChoice(variables: Variables): DeviceChoice {
  const unsorted = variables.honour("VK_LOADER_DISABLE_SELECT", "physical devices are not sorted");
  const chosen = variables.honour("VK_LOADER_DEVICE_SELECT", "the physical device it names goes first");
  const isVisible = visibleDevices((name) => variables.honour(name, "physical devices it does not match are hidden"));
  return { isSorted: unsorted === "", chosen: parseDeviceSelect(chosen), isVisible };
}
