/**
 * Clears a surface on a driver, named by the Worker's name, and tells its color.
 *
 * @module
 */
import * as g from "../../../../egl/gl.ts";
import { openContext } from "../../context.ts";
import { pixel } from "../../draw.ts";
import { drivers } from "../../drivers.ts";

const scope = self as unknown as { name: string; postMessage(message: unknown): void };
const opened = openContext(drivers.find(({ name }) => name === scope.name)!, [3, 0]);
opened.gl.glClearColor(1, 0, 0, 1);
opened.gl.glClear(g.GL_COLOR_BUFFER_BIT);
const color = pixel(opened.gl, 5, 5);
opened.egl.close();
scope.postMessage(color);
