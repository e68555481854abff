import { lavapipePath } from "../../tools/setup/parts.ts";
import { factsOf } from "../../workbench/programs/campaign/facts.ts";
import type { FuzzFacts } from "../../workbench/programs/facts.ts";
import { generateProgram } from "../../workbench/programs/generate.ts";
import { writeRecording } from "../../workbench/recordings/replay/stream.ts";

/** Writes a random program for lavapipe, of one kind of action, as a recording; always the same. */
export async function randomRecording(path: string, only: string): Promise<void> {
  const facts = await factsOf({ driver: lavapipePath()! }, 20_000) as FuzzFacts;
  writeRecording(path, generateProgram(facts, { seed: 7, actions: 3, only: [only], reads: "none" }).recording);
}
