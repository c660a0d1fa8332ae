import { demoBundles } from '#plugin/examples/bundles/demo-bundles.ts'
import { DemoBuilder } from './builder.ts'
import type { DemoPluginAddresses } from './builder.ts'
import type { DemoCaller } from './caller.ts'
import { buildEvents } from './events.ts'
import type { EventPluginAddresses } from './events.ts'
import { patches, scopes } from './places.ts'
import type { Place } from './places.ts'
import { createScript } from './script.ts'
import { createTroubles } from './troubles.ts'

export interface DemoOptions {
  call: DemoCaller
  plugins: DemoPluginAddresses & EventPluginAddresses
}

/**
 * Builds the demo through real requests: bundles are published, installed, upgraded and configured against the example
 * plugins, and some are left in states worth looking at. Running it again changes nothing.
 */
export async function buildDemo({ call, plugins }: DemoOptions): Promise<void> {
  const script = createScript(plugins.scriptedHooks)
  const builder = new DemoBuilder(call)
  await script.clear()
  await builder.registerPlugins(plugins)
  await builder.registerServices(plugins.scriptedHooks)
  for (const manifest of [...demoBundles, ...patches]) await builder.publish(manifest)
  await Promise.all(Object.keys(scopes).map((place) => builder.installAll(place as Place)))
  await builder.configureSome()
  await builder.connectBundles(plugins.scriptedHooks)
  await buildEvents(builder, call, plugins)
  await createTroubles(builder, call, script)
}
