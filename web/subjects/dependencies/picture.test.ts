import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DependencyGraph } from '#contract/console-api/shapes.ts'
import { BOX_HEIGHT, BOX_WIDTH, place } from './layout.ts'
import { countReached, pictureOf, reachedUses } from './picture.ts'

type Installation = DependencyGraph['installations'][number]

const idOf = (number: number) => `01920000-0000-7000-8000-${String(number).padStart(12, '0')}`

const installation = (number: number, distance: number, bundleId = 'crm'): Installation => ({
  installation: {
    environmentKey: 'production',
    applicationRuntimeId: 'eu',
    workspaceId: number,
    bundleInstallId: idOf(number),
    bundle: { environmentKey: 'production', bundleId },
  },
  title: bundleId.toUpperCase(),
  state: 'ACTIVE',
  distance,
})

const service = (
  serviceId: string,
  distance: number,
  owner: number | null = null,
): DependencyGraph['services'][number] => ({
  serviceId,
  title: serviceId,
  owner: owner === null ? null : { bundleInstallId: idOf(owner), locator: 'production/crm/MODULE/core' },
  distance,
})

const use = (number: number, serviceId: string): DependencyGraph['uses'][number] => ({
  bundleInstallId: idOf(number),
  serviceId,
  properties: [{ locator: 'production/crm/MODULE/core', resourceTitle: 'Core', property: 'mail' }],
  propertyCount: 1,
})

/** mail ◀ 1, which owns orders ◀ 2, which needs stock too; 1 needs orders itself. */
const chain: DependencyGraph = {
  services: [service('mail', 0), service('orders', 2, 1), service('stock', -1)],
  installations: [installation(1, 1), installation(2, 3, 'shop')],
  uses: [use(1, 'mail'), use(2, 'orders'), use(1, 'orders'), use(2, 'stock')],
  more: 0,
}

test('a small graph has a box for each node, joined from what stops to what it reaches', () => {
  const { boxes, lines } = pictureOf(chain)
  assert.deepEqual(
    boxes.map(({ id, distance }) => [id, distance]),
    [
      ['service stock', -1],
      ['service mail', 0],
      [`installation ${idOf(1)}`, 1],
      ['service orders', 2],
      [`installation ${idOf(2)}`, 3],
    ],
  )
  assert.deepEqual(lines, [
    { from: `installation ${idOf(1)}`, to: 'service orders' },
    { from: 'service mail', to: `installation ${idOf(1)}` },
    { from: 'service orders', to: `installation ${idOf(2)}` },
    { from: 'service orders', to: `installation ${idOf(1)}` },
    { from: 'service stock', to: `installation ${idOf(2)}` },
  ])
})

test('boxes are placed in columns by distance, and none covers another', () => {
  const { boxes, lines, width, height } = place(pictureOf(chain))
  const columns = [...Map.groupBy(boxes, ({ box }) => box.distance)].sort(([a], [b]) => a - b)
  const lefts = columns.map(([, column]) => new Set(column.map(({ x }) => x)))
  assert.ok(lefts.every(({ size }) => size === 1))
  assert.deepEqual(
    lefts.map(([x]) => x),
    lefts.map(([x]) => x).sort((a = 0, b = 0) => a - b),
  )
  for (const one of boxes)
    for (const other of boxes)
      if (one !== other)
        assert.ok(
          Math.abs(one.x - other.x) >= BOX_WIDTH || Math.abs(one.y - other.y) >= BOX_HEIGHT,
          one.box.id,
        )
  assert.ok(boxes.every(({ x, y }) => x >= 0 && y >= 0 && x + BOX_WIDTH <= width && y + BOX_HEIGHT <= height))
  assert.deepEqual(
    lines.filter(({ leadsBack }) => leadsBack).map(({ to }) => to),
    [`installation ${idOf(1)}`],
  )
})

test('a column of many has a box for each bundle, and the smallest share one', () => {
  const members = Array.from({ length: 40 }, (_, index) =>
    installation(index + 1, 1, index < 25 ? 'crm' : `bundle-${index}`),
  )
  const graph: DependencyGraph = {
    services: [service('mail', 0), ...members.map((_, index) => service(`own-${index}`, 2, index + 1))],
    installations: [...members, installation(99, 3)],
    uses: [...members.map(({ installation: { workspaceId } }) => use(workspaceId, 'mail')), use(99, 'own-0')],
    more: 0,
  }
  const { boxes, lines } = pictureOf(graph)
  const groups = boxes.flatMap((box) => ('count' in box ? [box] : []))
  assert.deepEqual(
    groups.map(({ kind, bundleTitle, count }) => [kind, bundleTitle, count]),
    [
      ['installations', 'CRM', 25],
      ['installations', null, 5],
      ['services', 'CRM', 25],
      ['services', null, 5],
    ],
  )
  assert.equal(boxes.length, 1 + 12 + 12 + 1)
  assert.deepEqual(groups[2]?.bundleInstallIds, [idOf(99)])
  assert.equal(lines.filter(({ from }) => from === 'service mail').length, 12)
})

test('installations are counted once, as using it or as reached through others', () => {
  assert.deepEqual(countReached(chain), { direct: 1, further: 1 })
  assert.deepEqual(
    reachedUses(chain).map(({ use: { serviceId, bundleInstallId }, between }) => [
      bundleInstallId,
      serviceId,
      between,
    ]),
    [
      [idOf(1), 'mail', 0],
      [idOf(1), 'orders', 1],
      [idOf(2), 'orders', 1],
    ],
  )
  // of an installation, the services that it owns are one step away
  const owned: DependencyGraph = {
    ...chain,
    services: [service('orders', 1, 1)],
    installations: [installation(1, 0), installation(2, 2)],
  }
  assert.deepEqual(countReached(owned), { direct: 1, further: 0 })
  assert.deepEqual(
    reachedUses(owned).map(({ between }) => between),
    [0],
  )
})
