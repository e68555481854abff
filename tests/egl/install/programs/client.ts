/**
 * A native program draws on this loader: `client.ts DRIVER PROGRAM VERSION`;
 * it prints what came of it.
 *
 * @module
 */
import { defineGlesLayer, loadEgl } from "../../../../egl/mod.ts";
import { arena } from "../../../../ffi/arena.ts";
import { Library } from "../../../../ffi/library/library.ts";
import { invokeAddress } from "../../../../ffi/machine.ts";

const [driver, path, version] = Deno.args, said: string[] = [];
const hooked: string[] = [],
  counting = defineGlesLayer({
    name: "counting",
    commands: {
      eglInitialize(next, ...args) {
        hooked.push("eglInitialize");
        return next(...args);
      },
      glDrawArrays(next, ...args) {
        hooked.push("glDrawArrays");
        return next(...args);
      },
    },
  });
const egl = loadEgl({ driver, platform: "android", log: (message) => said.push(message) });
const installed = egl.install(), memory = arena(), pixels = memory.alloc(1024);
const program = Library.open(path),
  call = (address = memory.address(pixels)) =>
    invokeAddress(program.require("gles_app"), "s:sq", [Number(version), address]) as number;
memory.bytes.fill(0, pixels, pixels + 1024);
const result = call(), pixel = (x: number, y: number) => [...memory.bytes.slice(pixels + 4 * (16 * y + x)).slice(0, 4)];
const drawn = [pixel(1, 1), pixel(14, 14)];
egl.attach(counting);
const again = call();
egl.detach(counting);
installed.uninstall();
const uninstalled = call();
using next = loadEgl({ driver, platform: "android", log: () => {} });
using _reinstalled = next.install();
egl.close();
const reinstalled = call();
program.close();
console.log(JSON.stringify({ result, drawn, again, uninstalled, reinstalled, hooked, said: said.slice(1) })); // the first sentence tells the driver
