import { demoBundles } from '#plugin/examples/bundles/demo-bundles.ts'
import { DemoWorld } from './builder.ts'
import type { DemoPluginAddresses } from './builder.ts'
import type { DemoCaller } from './caller.ts'
import { scopes } from './places.ts'
import type { Place } from './places.ts'
import { createScript } from './script.ts'
import { leaveTroubles } from './troubles.ts'

export interface DemoOptions {
  call: DemoCaller
  plugins: DemoPluginAddresses
}

/**
 * Makes the demo world by really doing everything: bundles are published, installed, upgraded and configured against
 * the example plugins, and some are left in states worth looking at. Doing it again changes nothing.
 */
export async function buildDemoWorld({ call, plugins }: DemoOptions): Promise<void> {
  const script = createScript(plugins.scriptedHooks)
  const world = new DemoWorld(call)
  await script.clear()
  await world.registerPlugins(plugins)
  await world.registerServices(plugins.scriptedHooks)
  for (const manifest of demoBundles) await world.publish(manifest)
  await Promise.all(Object.keys(scopes).map((place) => world.installAll(place as Place)))
  await world.configureSome()
  await leaveTroubles(world, call, script)
}
