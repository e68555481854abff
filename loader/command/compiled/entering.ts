import { generatedMaker, mayGenerate } from "../../../ffi/generated_code.ts";
import type { NativeCall } from "../target.ts";

type Maker = (call: NativeCall, enter: () => void, leave: () => void) => NativeCall;

const makers = new Map<number, Maker>();

/**
 * Returns a function of fixed arity that calls `enter` before `call`, and
 * `leave` after it, even after an error. Rest arguments would allocate on each
 * call.
 */
export function entering(
  call: NativeCall,
  arity: number,
  enter: () => void,
  leave: () => void = () => {},
): NativeCall {
  let make = makers.get(arity);
  if (!make) makers.set(arity, make = mayGenerate() ? compile(arity) : interpreted);
  return make(call, enter, leave);
}

function compile(arity: number): Maker {
  const args = Array.from({ length: arity }, (_, index) => `a${index}`).join(", ");
  const text = `return (${args}) => { enter(); try { return call(${args}); } finally { leave(); } };`;
  return generatedMaker(["call", "enter", "leave"], text, `entering/${arity}`) as Maker;
}

function interpreted(call: NativeCall, enter: () => void, leave: () => void): NativeCall {
  return (...args) => {
    enter();
    try {
      return call(...args);
    } finally {
      leave();
    }
  };
}
