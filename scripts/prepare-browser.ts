import { ensureBrowser } from './browser.ts'
import { buildConsole } from './console-build.ts'

/** Builds the console and finds a Chromium, whose path it sets as `CHROMIUM_PATH` for this process and its children. */
export async function prepareBrowser(): Promise<void> {
  await buildConsole()
  const executable = ensureBrowser()
  if (executable !== undefined) process.env['CHROMIUM_PATH'] = executable
}
