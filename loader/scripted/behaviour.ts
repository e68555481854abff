import type { NativeCall } from "../command/compile.ts";
import { type Command, findCommand } from "../command/registry/table.ts";
import type { AnyHook } from "../layer.ts";
import { deviceCommands } from "./device_commands.ts";
import { genericCommand, isIdle } from "./generic.ts";
import { instanceCommands } from "./instance_commands.ts";
import { memoryCommands } from "./memory_commands.ts";
import { physicalDeviceCommands } from "./physical_device_commands.ts";
import type { DriverState } from "./state.ts";

/** The implementation of a driver's commands. */
export class Behaviour {
  readonly #state: DriverState;
  readonly #own: Readonly<Record<string, NativeCall | undefined>>;

  /** Starts with the built-in commands. */
  constructor(state: DriverState) {
    this.#state = state;
    const generic = (name: string) => genericCommand(findCommand(name)!, state.objects);
    this.#own = {
      ...instanceCommands(state),
      ...physicalDeviceCommands(state),
      ...deviceCommands(state),
      ...memoryCommands(state, generic),
    } as Record<string, NativeCall>;
  }

  /** Returns the function of a command, with the author's hook first. A later name of a command uses the core one. */
  of(command: Command): NativeCall {
    const { name } = command, { spec, objects } = this.#state;
    const own = this.#own[name] ?? this.#own[coreName(name)] ?? genericCommand(command, objects);
    const hook = spec.commands?.[name as keyof typeof spec.commands] as AnyHook | undefined;
    return hook ? (...args) => hook(own, ...args) : own;
  }

  /** Whether a command does nothing except succeed, so that it may run on any thread. */
  isIdle(command: Command): boolean {
    const { name } = command, hooked = this.#state.spec.commands?.[name as "vkCreateInstance"] !== undefined;
    return !hooked && !this.#own[name] && !this.#own[coreName(name)] && isIdle(command);
  }
}

function coreName(name: string): string {
  return name.replace(/(KHR|EXT)$/, "");
}
