/**
 * The witness of pictures as a module, for `--layer`. `PUMICE_WITNESS` names the file, which gets a line for each picture.
 *
 * @module
 */
import { pictureWitness } from "./pictures.ts";

const FILE = Deno.openSync(Deno.env.get("PUMICE_WITNESS")!, { append: true, create: true });

export default pictureWitness((digest) => void FILE.writeSync(new TextEncoder().encode(`${digest}\n`)));
