/**
 * Imports the module at the address that the first argument gives.
 *
 * @module
 */
await import(Deno.args[0]);
