import { demoBundles } from '#plugin/examples/bundles/demo-bundles.ts'
import { DemoBuilder } from './builder.ts'
import type { DemoPluginAddresses } from './builder.ts'
import type { DemoCaller } from './caller.ts'
import { buildEvents } from './events.ts'
import type { EventPluginAddresses } from './events.ts'
import { patches, scopes } from './places.ts'
import type { Place } from './places.ts'
import { DemoDates } from './dates.ts'
import type { When } from './dates.ts'
import { createScript } from './script.ts'
import { createTroubles } from './troubles.ts'

export interface DemoOptions {
  call: DemoCaller
  plugins: DemoPluginAddresses & EventPluginAddresses
  /** Notes when each step happens in the history of the demo. */
  dates?: DemoDates
}

/** In which order the scopes get their first bundles, and when. */
const WAVES: [places: Place[], when: When][] = [
  [['europe', 'nordics'], { daysAgo: 20, time: '09:40' }],
  [['america', 'asia'], { daysAgo: 19, time: '14:05' }],
  [['iberia', 'brazil'], { daysAgo: 17, time: '10:20' }],
  [['staging', 'preview', 'rehearsal'], { daysAgo: 16, time: '08:55' }],
  [['lab', 'training', 'sandbox'], { daysAgo: 15, time: '13:30' }],
]

/**
 * Builds the demo through real requests: bundles are published, installed, upgraded and configured against the example
 * plugins, and some are left in states worth looking at. Running it again changes nothing.
 */
export async function buildDemo({ call, plugins, dates = new DemoDates() }: DemoOptions): Promise<void> {
  const script = createScript(plugins.scriptedHooks)
  const builder = new DemoBuilder(call)
  await script.clear()
  dates.at({ daysAgo: 21, time: '08:30' })
  await builder.registerPlugins(plugins)
  await builder.registerServices(plugins.scriptedHooks)
  const versions = [...demoBundles, ...patches]
  const publish = async (isFirst: boolean) => {
    for (const manifest of versions)
      if (isBeforeWaves(manifest.version) === isFirst) await builder.publish(manifest)
  }
  await publish(true)
  for (const [places, when] of WAVES) {
    dates.at(when)
    await Promise.all(places.map((place) => builder.installAll(place, isBeforeWaves)))
  }
  dates.at({ daysAgo: 13, time: '11:15' })
  await publish(false)
  dates.at({ daysAgo: 12, time: '15:45' })
  const later = (version: string) => !isBeforeWaves(version)
  await Promise.all(Object.keys(scopes).map((place) => builder.installAll(place as Place, later)))
  dates.at({ daysAgo: 9, time: '19:10' })
  await Promise.all(Object.keys(scopes).map((place) => builder.upgradeAll(place as Place)))
  await builder.configureSome(dates)
  dates.at({ daysAgo: 4, time: '13:25' })
  await builder.connectBundles(plugins.scriptedHooks)
  dates.at({ daysAgo: 3, time: '09:05' })
  await buildEvents(builder, call, plugins)
  await createTroubles({ builder, call, script, dates })
}

/** Whether a version was out when the first bundles were installed. */
const isBeforeWaves = (version: string): boolean => /^1\.\d+\.0$/.test(version)
