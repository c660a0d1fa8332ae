import { runExample } from '../run-example.ts'
import { createScriptedPlugin } from './scripted-plugin.ts'

await runExample({ pluginId: 'scripted-hooks' }, createScriptedPlugin)
