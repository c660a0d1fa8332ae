import { useState } from 'react'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderInConsole } from '../testing/render.tsx'
import { TextArea, TextInput } from './TextInput.tsx'

function Title({ saved, long = false }: { saved: string; long?: boolean }) {
  const [typed, setTyped] = useState<string | null>(null)
  const props = { 'aria-label': 'Title', value: typed ?? saved }
  return long ? (
    <TextArea {...props} onChange={(event) => setTyped(event.target.value)} />
  ) : (
    <TextInput {...props} onChange={(event) => setTyped(event.target.value)} />
  )
}

const title = page.getByRole('textbox', { name: 'Title' })

for (const long of [false, true])
  test(`a selected text that somebody replaces stays selected, ${long ? 'long' : 'short'}`, async () => {
    const screen = await renderInConsole(<Title saved="old" long={long} />)
    await title.click()
    await userEvent.keyboard('{ControlOrMeta>}a{/ControlOrMeta}')
    await screen.rerender(<Title saved="a colleague's" long={long} />)
    await expect.element(title).toHaveValue("a colleague's")
    await userEvent.keyboard('mine')
    await expect.element(title).toHaveValue('mine')
  })

test('a caret stays a caret', async () => {
  const screen = await renderInConsole(<Title saved="old" />)
  await title.click()
  await userEvent.keyboard('{End}')
  await screen.rerender(<Title saved="older" />)
  await expect.element(title).toHaveValue('older')
  await userEvent.keyboard('!')
  await expect.element(title).toHaveValue('older!')
})
