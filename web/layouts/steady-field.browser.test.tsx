import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { keepFieldSteady } from './steady-field.ts'

let main: HTMLElement
let stop: () => void

beforeEach(() => {
  main = document.createElement('main')
  main.innerHTML = '<div id="notices"></div><input aria-label="Name"><div style="height: 3000px"></div>'
  document.body.append(main)
  stop = keepFieldSteady(main)
})
afterEach(() => {
  stop()
  main.remove()
})

const input = () => main.querySelector('input') as HTMLInputElement
const top = () => input().getBoundingClientRect().top
const frame = () => new Promise(requestAnimationFrame)

/** Changes the height of what is above the field, in px. */
async function showAbove(height: number): Promise<void> {
  const notices = main.querySelector('#notices') as HTMLElement
  notices.style.height = `${height}px`
  // a transition of no length takes one frame, and an observer of sizes is called after the callbacks of its frame
  for (let frames = 0; frames < 3; frames++) await frame()
}

test('a notice above the focused field scrolls the page, also from its top', async () => {
  await userEvent.click(input())
  const before = top()
  expect(scrollY).toBe(0)
  await showAbove(80)
  expect(top()).toBeCloseTo(before)
  expect(scrollY).toBe(80)
  await showAbove(0)
  expect(top()).toBeCloseTo(before)
  expect(scrollY).toBe(0)
})

test('where the page cannot scroll, space holds the field until it loses the focus', async () => {
  await showAbove(80)
  await userEvent.click(input())
  const before = top()
  await showAbove(0)
  expect(top()).toBeCloseTo(before)
  input().blur()
  await frame()
  expect(top()).toBeCloseTo(before - 80)

  main.querySelector('div:last-child')?.remove()
  await userEvent.click(input())
  const short = top()
  await showAbove(80)
  expect(top()).toBeCloseTo(short)
})

test('scrolling by the person moves the field, and without the focus nothing is held', async () => {
  await userEvent.click(input())
  await showAbove(100)
  const before = top()
  scrollBy(0, -40)
  await frame()
  expect(top()).toBeCloseTo(before + 40)
  await showAbove(180)
  expect(top()).toBeCloseTo(before + 40)
  input().blur()
  scrollTo(0, 0)
  await frame()
  const unfocused = top()
  await showAbove(40)
  expect(top()).toBeCloseTo(unfocused - 140)
})

test('a press that takes the focus is a click, because the space goes after it', async () => {
  const button = document.createElement('button')
  button.textContent = 'Next'
  input().after(button)
  let clicks = 0
  button.addEventListener('click', () => clicks++)
  await showAbove(80)
  await userEvent.click(input())
  await showAbove(0)
  const before = button.getBoundingClientRect().top
  await userEvent.click(button)
  expect(clicks).toBe(1)
  await expect.poll(() => button.getBoundingClientRect().top).toBeCloseTo(before - 80)
})

test('a field that does not move with the page is left alone', async () => {
  const popup = document.createElement('div')
  popup.popover = 'auto'
  const fixed = document.createElement('div')
  fixed.style.position = 'fixed'
  for (const box of [popup, fixed]) {
    box.style.top = '300px'
    box.innerHTML = '<input>'
    main.append(box)
  }
  popup.showPopover()
  for (const box of [popup, fixed]) {
    box.querySelector('input')?.focus()
    box.style.top = '200px'
    await showAbove(box === fixed ? 80 : 40)
    expect(document.activeElement?.parentElement?.getBoundingClientRect().top).toBeCloseTo(200)
    expect(scrollY).toBe(0)
  }
  expect(getComputedStyle(main).borderBottomWidth).toBe('0px')
})

test('a change inside the field is not measured, because the page would be laid out on each key press', async () => {
  await userEvent.click(input())
  // an observer of sizes is called once at first
  for (let frames = 0; frames < 3; frames++) await frame()
  const measure = vi.spyOn(input(), 'getBoundingClientRect')
  input().setAttribute('aria-invalid', 'true')
  await frame()
  expect(measure).not.toHaveBeenCalled()
  main.querySelector('#notices')?.setAttribute('title', 'Notices')
  await frame()
  expect(measure).toHaveBeenCalled()
})
