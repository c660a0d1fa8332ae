import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { renderInConsole } from '../testing/render.tsx'
import { Button } from './Button.tsx'
import { setTheme } from './theme.ts'

test('all colors change in one frame, without transitions', async () => {
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
