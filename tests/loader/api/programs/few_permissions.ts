/** Prints which variables are reported more than once, and what a layer says that may not write its file. */
import { loadVulkan } from "../../../../loader/mod.ts";
import { apiTrace } from "../../../../loader/layers/shipped/trace/api_trace.ts";

using vulkan = loadVulkan();
const unread = vulkan.explain().filter(({ subject, taken }) => subject === "variable" && !taken).map(({ path }) =>
  path
);
let said = "nothing";
try {
  apiTrace({ path: "calls.jsonl" });
} catch (error) {
  said = String(error);
}
console.log(JSON.stringify({ unread, said }));
