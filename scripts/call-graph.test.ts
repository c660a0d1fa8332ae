import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readCallGraph, type CallGraph, type DeclarationId } from './call-graph.ts'

const FILES = {
  'page.tsx': `
    import { save as send, type Answer } from './save.ts'
    import * as React from 'react'
    export function Page({ answer }: { answer: Answer }) {
      return <Button onClick={() => send(answer as Answer)} unused={answer.other} />
    }
    const Button = () => null
    const other = () => unreached()
    function unreached() {}
  `,
  'save.ts': `
    import { write } from '#store/all.ts'
    import { refuse } from './refuse.ts'
    export interface Answer { other: string }
    export class Saver { run() { return write() } }
    export const save = (answer: Answer) => (answer === null ? refuse() : new Saver().run())
  `,
  'refuse.ts': `export function refuse() { return explain() }
    const explain = () => 'no'`,
  'all.ts': `export { insert as write } from './insert.ts'
    export * from './rest.ts'`,
  'insert.ts': `import { table } from './all.ts'
    export const insert = () => table`,
  'rest.ts': `export const [table, { view }] = ['t', { view: 'v' }]`,
}

let folder: string
let graph: CallGraph

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'call-graph-'))
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text)
  graph = readCallGraph(folder, Object.keys(FILES), { '#store/': '' })
})

after(() => rm(folder, { recursive: true }))

const filesOf = (ids: Iterable<DeclarationId>): string[] => [
  ...new Set([...ids].map((id) => id.split('#')[0] ?? '')),
]

test('follows imports, other names, exports of exports, components, classes and destructured names', () => {
  const reached = graph.reach(['page.tsx#Page'], new Set())
  assert.deepEqual([...reached.keys()].toSorted(), [
    'insert.ts#insert',
    'page.tsx#Button',
    'page.tsx#Page',
    'refuse.ts#explain',
    'refuse.ts#refuse',
    'rest.ts#table',
    'save.ts#Saver',
    'save.ts#save',
  ])
  assert.equal(reached.get('save.ts#save'), 'page.tsx#Page')
})

test('does not enter what is left out', () => {
  const reached = graph.reach(['page.tsx#Page'], new Set(['refuse.ts#refuse']))
  assert.ok(!filesOf(reached.keys()).includes('refuse.ts'))
  assert.ok(filesOf(reached.keys()).includes('rest.ts'))
})
