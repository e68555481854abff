import { callback, checkOptions, number, type OptionRules } from "../../../ffi/check_options.ts";
import { Device } from "./device.ts";
import { type BinderOptions, KernelBus } from "./kernel_bus.ts";

const RULES: OptionRules<BinderOptions> = { timeout: number, log: callback("takes a sentence") };

/**
 * Opens a device of the kernel's binder: `/dev/binder`, `/dev/hwbinder`, `/dev/vndbinder`, or a folder with a binderfs,
 * whose device `binder` is taken. Calls of other processes are answered from then on. The bus keeps the process alive
 * until it is closed. Needs only `--allow-ffi`. Throws a {@linkcode BinderStatusError} that says what is missing: the
 * kernel's support, the permission, or a kernel that speaks protocol 8.
 */
export function openBinder(path: string, options: BinderOptions = {}): KernelBus {
  checkOptions("openBinder()", options, RULES);
  return new KernelBus(new Device(path), options);
}
