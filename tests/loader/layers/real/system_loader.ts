/** Writes a manifest of a driver and returns the variables by which programs on the system's loader take it alone. */
export function onSystemLoader(driver: string, folder: string): Record<string, string> {
  const path = `${folder}/driver.json`, ICD = { library_path: driver, api_version: "1.3.0" };
  Deno.writeTextFileSync(path, JSON.stringify({ file_format_version: "1.0.0", ICD }));
  return { VK_DRIVER_FILES: path, VK_ICD_FILENAMES: path };
}
