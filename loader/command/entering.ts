import { mayGenerate } from "../codec/compile.ts";
import type { NativeCall } from "./target.ts";

type Maker = (call: NativeCall, enter: () => void) => NativeCall;

const makers = new Map<number, Maker>();

/** A function of fixed arity that calls `enter` before `call`: rest arguments would allocate on each call. */
export function entering(call: NativeCall, arity: number, enter: () => void): NativeCall {
  let make = makers.get(arity);
  if (!make) makers.set(arity, make = mayGenerate() ? compile(arity) : interpreted);
  return make(call, enter);
}

function compile(arity: number): Maker {
  const args = Array.from({ length: arity }, (_, index) => `a${index}`).join(", ");
  return new Function("call", "enter", `return (${args}) => { enter(); return call(${args}); };`) as Maker;
}

function interpreted(call: NativeCall, enter: () => void): NativeCall {
  return (...args) => {
    enter();
    return call(...args);
  };
}
