import { Suspense, useState, type ComponentType } from 'react'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { renderInConsole } from '../testing/render.tsx'
import { lazyPart, type LazyPart } from './lazy-part.ts'

const open = page.getByRole('button', { name: 'Open' })
const part = page.getByText('The part')

const Part = () => <p>The part</p>

/** A part whose code arrives when `arrive` is called, and how often it was requested. */
function laterPart() {
  const { promise, resolve } = Promise.withResolvers<ComponentType<object>>()
  let requests = 0
  const Later = lazyPart(() => {
    requests += 1
    return promise
  })
  return { Later, arrive: () => resolve(Part), requests: () => requests }
}

function Opener({ Later }: { Later: LazyPart<object> }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type="button" {...Later.onIntent} onClick={() => setIsOpen(true)}>
        Open
      </button>
      {isOpen && (
        <Suspense fallback={<p>Loading</p>}>
          <Later />
        </Suspense>
      )}
    </>
  )
}

test('a click before the part has loaded opens it once it has', async () => {
  const { Later, arrive } = laterPart()
  await renderInConsole(<Opener Later={Later} />)
  await open.click()
  await expect.element(page.getByText('Loading')).toBeVisible()
  expect(part.query()).toBeNull()
  arrive()
  await expect.element(part).toBeVisible()
})

test('the pointer over the control loads the part, which then opens without a fallback', async () => {
  const { Later, arrive, requests } = laterPart()
  // away from where the pointer was left by the test before
  await renderInConsole(
    <div style={{ padding: '300px' }}>
      <Opener Later={Later} />
    </div>,
  )
  expect(requests()).toBe(0)
  await open.hover()
  await expect.poll(requests).toBe(1)
  arrive()
  await new Promise(requestAnimationFrame)
  open.element().dispatchEvent(new MouseEvent('click', { bubbles: true }))
  await new Promise(requestAnimationFrame)
  expect(page.getByText('Loading').query()).toBeNull()
  expect(part.query()).not.toBeNull()
})

test('a part that did not load at the first sign of interest is requested again when it is shown', async () => {
  let requests = 0
  const Later = lazyPart(() => {
    requests += 1
    return requests === 1 ? Promise.reject(new Error('offline')) : Promise.resolve(Part)
  })
  await renderInConsole(<Opener Later={Later} />)
  Later.load()
  await open.click()
  await expect.element(part).toBeVisible()
})
