import { sessionCookie } from '#bff/testing-browser.ts'
import { buildConsole } from '../../scripts/console-build.ts'
import type { OpenConsole } from './console/browser.ts'
import { measureConflict } from './console/conflict.ts'
import { measureGraph } from './console/graph.ts'
import { measurePages } from './console/pages.ts'
import type { PagesOptions } from './console/pages.ts'
import { measureTyping } from './console/typing.ts'
import { selectParts } from './report.ts'
import type { Result } from './report.ts'
import { startBenchSystem } from './system.ts'

/** In this order: the pages are those of the demo, to which the others add. */
const PARTS: Record<string, (system: OpenConsole, options: PagesOptions) => Promise<Result[]>> = {
  pages: measurePages,
  typing: measureTyping,
  conflict: measureConflict,
  graph: measureGraph,
}

/** The built console in Chromium, beside small pages: cold visits, typing, a large conflict and a large graph. */
export async function benchConsole({ only, ...options }: PagesOptions & { only: string }): Promise<Result[]> {
  const parts = selectParts(PARTS, only)
  await buildConsole()
  const system = await startBenchSystem()
  const opened = { ...system, cookie: await sessionCookie(system.url, system.user) }
  const results: Result[] = []
  for (const measure of parts) results.push(...(await measure(opened, options)))
  await system.stop()
  return results
}
