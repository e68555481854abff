/**
 * The Hardware Composer. So far: which functions of hwcomposer2.h a device
 * must have.
 *
 * @module
 */
export { missingFunctions } from "./required_functions.ts";
