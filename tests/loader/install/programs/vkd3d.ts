/**
 * vkd3d makes a Direct3D 12 device and copies a buffer by a command list:
 * `vkd3d.ts DRIVER LIBRARY APP`, the app being tests/fixtures/d3d12_app.c.
 *
 * @module
 */
import { NativeProgram, outcome } from "./call_native.ts";
import { installCounted, report } from "./counted.ts";

const [driver, path, app] = Deno.args;
using counted = installCounted(driver);
const same = outcome();
const result = new NativeProgram(app).call("d3d12_run", "s:qq", path, same.address);
report(counted, { result, right: same.value() === 1n });
