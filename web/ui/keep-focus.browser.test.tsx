import { useState } from 'react'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderInConsole } from '../testing/render.tsx'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { focusHome } from './keep-focus.ts'

const button = (name: string) => page.getByRole('button', { name })

async function press(name: string) {
  button(name).element().focus()
  await userEvent.keyboard('{Enter}')
}

function Row({ isLocked = false }) {
  const [isEdited, setIsEdited] = useState(true)
  const [isFull, setIsFull] = useState(false)
  return (
    <div {...focusHome('field')} role="group" aria-label="Row">
      <input id="field" aria-label="Field" disabled={isLocked} />
      {isEdited && <Button onClick={() => setIsEdited(false)}>Reset</Button>}
      <button type="button" disabled={isFull} onClick={() => setIsFull(true)}>
        Add
      </button>
    </div>
  )
}

test('a button that is removed or disabled by its press gives the focus to the field of its row', async () => {
  await renderInConsole(<Row />)
  await press('Reset')
  await expect.element(page.getByLabelText('Field')).toHaveFocus()
  await press('Add')
  await expect.element(page.getByLabelText('Field')).toHaveFocus()
})

test('where the field cannot take the focus, the row gets it, and cannot be focused by a press afterwards', async () => {
  await renderInConsole(<Row isLocked />)
  await press('Reset')
  const row = page.getByRole('group', { name: 'Row' })
  await expect.element(row).toHaveFocus()
  button('Add').element().focus()
  await expect.element(row).not.toHaveAttribute('tabindex')
})

test('the outer home serves if the row is removed with its button', async () => {
  function List() {
    const [isEmpty, setIsEmpty] = useState(false)
    return (
      <section {...focusHome('heading')}>
        <h2 id="heading">List</h2>
        {!isEmpty && (
          <div {...focusHome('gone')}>
            <Button onClick={() => setIsEmpty(true)}>Clear</Button>
          </div>
        )}
      </section>
    )
  }
  await renderInConsole(<List />)
  await press('Clear')
  await expect.element(page.getByRole('heading', { name: 'List' })).toHaveFocus()
})

test('a dialog whose opener is gone gives the focus to the home of that', async () => {
  function Question() {
    const [isAsked, setIsAsked] = useState(false)
    const [isDone, setIsDone] = useState(false)
    return (
      <section {...focusHome('heading')}>
        <h2 id="heading">Settings</h2>
        {!isDone && <Button onClick={() => setIsAsked(true)}>Discard</Button>}
        <Dialog open={isAsked} onClose={() => setIsAsked(false)} title="Discard all?">
          {!isDone && <Button onClick={() => setIsDone(true)}>Confirm</Button>}
          <Button onClick={() => setIsAsked(false)}>Done</Button>
        </Dialog>
      </section>
    )
  }
  await renderInConsole(<Question />)
  await press('Discard')
  await press('Confirm')
  await expect.element(page.getByRole('dialog')).toHaveFocus()
  await press('Done')
  await expect.element(page.getByRole('heading', { name: 'Settings' })).toHaveFocus()
})

test('the focus is not taken back from where the person has moved it', async () => {
  function Elsewhere() {
    const [isEdited, setIsEdited] = useState(true)
    return (
      <>
        <div {...focusHome('field')}>
          <input id="field" aria-label="Field" />
          {isEdited && <Button onClick={() => undefined}>Reset</Button>}
        </div>
        <Button onClick={() => setIsEdited(false)}>Save</Button>
        <p>Text</p>
      </>
    )
  }
  await renderInConsole(<Elsewhere />)
  button('Reset').element().focus()
  await press('Save')
  await expect.element(button('Save')).toHaveFocus()
  button('Save').element().blur()
  await expect.element(page.getByLabelText('Field')).not.toHaveFocus()
  expect(document.activeElement).toBe(document.body)
})
