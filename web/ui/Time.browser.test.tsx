import { Profiler } from 'react'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { renderInConsole } from '../testing/render.tsx'
import { Time } from './Time.tsx'

// where what another test displayed is still there, the clock may tick at any moment
test(
  'a time that is displayed after a while is rendered once, with the time of then',
  { retry: 2 },
  async () => {
    // a second render would follow at once
    const SOON_MS = 50
    // the clock stands still while nothing is displayed
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const renders: { startedAt: number; endedAt: number }[] = []
    await renderInConsole(
      <Profiler
        id="time"
        onRender={(_, _phase, _actual, _base, startedAt, endedAt) => renders.push({ startedAt, endedAt })}
      >
        <Time at={Date.now() - 60_500} />
      </Profiler>,
    )
    await expect.element(page.getByText('1 min ago')).toBeVisible()
    const first = renders[0]?.endedAt ?? 0
    expect(renders.filter(({ startedAt }) => startedAt < first + SOON_MS)).toHaveLength(1)
  },
)
