import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { render } from 'vitest-browser-react'
import { page, userEvent } from 'vitest/browser'
import { renderConsole } from '../testing/render.tsx'
import { MAIL, serveScope } from '../testing/served-scope.ts'
import { translate } from '../testing/translate.ts'
import { guardAgainstTranslation } from './translation-guard.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})
/** A translator, and the guard against it, until the test ends. */
function translated(how: 'replace' | 'insert' | 'move') {
  stops.push(guardAgainstTranslation(document))
  stops.push(translate(document.body, how))
}

/** Texts beside elements, which React inserts, changes, moves and removes. */
function Texts() {
  const [step, setStep] = useState(0)
  const names = [
    ['a', 'b', 'c'],
    ['c', 'x', 'a'],
    ['a', 'c'],
  ][step] ?? ['d']
  return (
    <>
      <button type="button" onClick={() => setStep(step + 1)}>
        Next
      </button>
      <p data-testid="changed">
        Step {step} of {step > 0 && <b>many</b>} steps{step === 1 && ', one'}
      </p>
      <p data-testid="moved">
        {names.map((name) => (
          <Letter key={name} name={name} />
        ))}
        end
      </p>
    </>
  )
}
/** Only a text. */
const Letter = ({ name }: { name: string }) => `${name}.`

for (const how of ['replace', 'insert', 'move'] as const)
  test(`texts stay correct while a translator works that would ${how} them`, async () => {
    translated(how)
    await render(<Texts />)
    const shows = async (id: string, words: string) =>
      expect.poll(() => document.querySelector(`[data-testid=${id}]`)?.textContent).toBe(words)
    await shows('moved', 'a.b.c.end')
    for (const [changed, moved] of [
      ['Step 1 of many steps, one', 'c.x.a.end'],
      ['Step 2 of many steps', 'a.c.end'],
      ['Step 3 of many steps', 'd.end'],
    ] as const) {
      await expect.poll(() => document.querySelectorAll('[data-testid] font').length).toBeGreaterThan(0)
      await page.getByRole('button', { name: 'Next' }).click()
      await shows('changed', changed)
      await shows('moved', moved)
    }
  })

for (const how of ['replace', 'insert'] as const)
  test(`an edit, its review and its save survive a translator that would ${how} texts`, async () => {
    const scope = await serveScope()
    translated(how)
    await renderConsole(scope.address(MAIL))
    await page.getByRole('textbox', { name: 'SMTP port' }).fill('2525')
    await userEvent.keyboard('{Control>}s{/Control}')
    const dialog = page.getByRole('dialog', { name: 'Review changes' })
    await expect.element(dialog.getByLabelText('Changes of CRM mail')).toMatchTextContent(/After: 2,?525/)
    await expect.element(dialog.getByRole('button', { name: /^Save and start/ })).toBeEnabled()
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.element(page.getByText(/Snapshot 2 applied/)).toBeVisible()
    await expect.element(page.getByText('This page could not be displayed')).not.toBeInTheDocument()
    await scope.saveAsColleague({ [MAIL]: { smtpPort: 25 } })
    await expect.element(page.getByRole('textbox', { name: 'SMTP port' })).toHaveValue('25')
    await expect.element(page.getByRole('heading', { level: 1 })).toMatchTextContent(/production.eu/)
  })
