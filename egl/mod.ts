/**
 * EGL and OpenGL ES. So far: the names under which Android's loader looks for
 * a driver.
 *
 * @module
 */
export { type DriverNames, driverNames, type DriverProperties, type DriverRules } from "./driver_names.ts";
