import { assert, assertEquals } from "@std/assert";
import { methodSource } from "../../../loader/command/compiled/generate.ts";
import { planOf, resultKey } from "../../../loader/command/plan.ts";
import { findCommand } from "../../../loader/command/registry/table.ts";

/** One method of the generated interfaces: parameter names and the keys of what it returns. */
interface Method {
  name: string;
  parameters: string;
  keys: string;
}

Deno.test("the generated methods take and return what the compiled methods do", () => {
  const declared = declaredMethods();
  assert(declared.length > 700, `only ${declared.length} methods were found`);
  assertEquals(declared, declared.map(({ name }) => compiledMethod(name)));
});

function declaredMethods(): Method[] {
  const text = Deno.readTextFileSync(new URL("../../../loader/gen/commands_gen.ts", import.meta.url));
  return [...text.matchAll(/^(vk\w+)(?:<.*?>)?\((.*)\): (.*);$/gm)].map(([, name, parameters, result]) => ({
    name,
    parameters: [...parameters.matchAll(/(?:^|, )(\w+)\??: /g)].map((each) => each[1]).join(", "),
    keys: result.startsWith("{") ? [...result.matchAll(/(?:\{|;) (\w+): /g)].map((each) => each[1]).join(", ") : "",
  }));
}

function compiledMethod(name: string): Method {
  const plan = planOf(findCommand(name)!);
  const parameters = methodSource(plan).text.match(/^function \w+\(([^)]*)\)/)![1];
  const outputs = plan.outputs.map((each) => resultKey(each.name));
  const isBare = outputs.length === 0 || (outputs.length === 1 && !plan.returnsResult);
  const keys = isBare ? [] : plan.returnsResult ? ["result", ...outputs] : outputs;
  return { name, parameters, keys: keys.join(", ") };
}
