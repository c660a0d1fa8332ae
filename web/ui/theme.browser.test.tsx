import { expect, onTestFinished, test } from 'vitest'
import { cdp, page } from 'vitest/browser'
import { renderInConsole } from '../testing/render.tsx'
import { Button } from './Button.tsx'
import { setTheme } from './theme.ts'

const setMotion = (value: 'no-preference' | 'reduce') =>
  cdp().send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-motion', value }] })

test('all colors change in one frame, without transitions', async () => {
  // with reduced motion, as in the other tests, nothing has a transition
  await setMotion('no-preference')
  onTestFinished(async () => {
    await setMotion('reduce')
  })
  await renderInConsole(<Button>Save</Button>)
  setTheme('light')
  const button = page.getByRole('button', { name: 'Save' }).element()
  const colorsIn = (theme: 'light' | 'dark') => {
    setTheme(theme)
    const { color, backgroundColor, borderColor } = getComputedStyle(button)
    return { color, backgroundColor, borderColor }
  }
  const dark = colorsIn('dark')
  expect(button.getAnimations()).toEqual([])
  expect(colorsIn('light')).not.toEqual(dark)
  expect(colorsIn('dark')).toEqual(dark)
  setTheme('system')
})
