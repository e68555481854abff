import { ownFlags } from "../../../../../workbench/process/own_flags.ts";

/** Prints with which flags a process would be started that is to run this file as this one does. */
if (import.meta.main) console.log(JSON.stringify(ownFlags(import.meta.url)));
