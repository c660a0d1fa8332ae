import { Link } from '@tanstack/react-router'
import { useForm } from 'react-hook-form'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { ApiError, lostAnswer } from '../../api/client.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { TextField } from '../fields/TextField.tsx'
import { FormDialog } from './FormDialog.tsx'
import { useSubmit } from '../form/use-submit.ts'

function TitleDialog() {
  const form = useForm({ defaultValues: { title: '', endpoint: '' } })
  return (
    <FormDialog
      form={form}
      onSubmit={() => Promise.resolve()}
      busy={false}
      error={null}
      title="New plugin"
      submit="Register"
      onClose={() => undefined}
    >
      <input type="file" aria-label="Upload a file" />
      <TextField control={form.control} name="title" label="Title" />
      <TextField control={form.control} name="endpoint" label="Endpoint" />
    </FormDialog>
  )
}

const asksBeforeUnload = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }))

const dialog = page.getByRole('dialog', { name: 'New plugin' })
const endpoint = page.getByRole('textbox', { name: 'Endpoint' })
const question = page.getByRole('alert')

test('the first field has the focus, not the choice of a file before it', async () => {
  await renderInConsole(<TitleDialog />)
  await expect.element(page.getByRole('textbox', { name: 'Title' })).toHaveFocus()
})

test('each Escape opens or closes the question whether to discard, and the dialog stays', async () => {
  await renderInConsole(<TitleDialog />)
  await endpoint.fill('https://billing.example.com')
  // the browser closes a modal dialog at the second Escape, even if the page prevents it
  for (let press = 0; press < 2; press++) {
    await userEvent.keyboard('{Escape}')
    await expect.element(question).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(question).not.toBeInTheDocument()
    await expect.element(dialog).toBeVisible()
    await expect.element(endpoint).toHaveFocus()
  }
  await expect.element(endpoint).toHaveValue('https://billing.example.com')
})

test('leaving the page under a dialog with input asks first, as closing the tab does', async () => {
  const { address } = await renderInConsole(
    <>
      <Link to="/plugins">Plugins</Link>
      <TitleDialog />
    </>,
  )
  expect(asksBeforeUnload()).toBe(false)
  await endpoint.fill('https://billing.example.com')
  expect(asksBeforeUnload()).toBe(true)
  // the page is inert, so only the browser and shortcuts can leave it
  document.querySelector('a')?.click()
  await expect.element(question).toBeVisible()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await expect.element(endpoint).toHaveValue('https://billing.example.com')
  expect(address()).toBe('/')
  document.querySelector('a')?.click()
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect.poll(address).toBe('/plugins')
})

function RefusedDialog() {
  const form = useForm({ defaultValues: { title: '' } })
  const { onSubmit, busy, error } = useSubmit(
    form,
    () => Promise.reject(new ApiError(lostAnswer)),
    () => null,
  )
  return (
    <FormDialog
      form={form}
      {...{ onSubmit, busy, error }}
      title="Long form"
      submit="Save"
      onClose={() => undefined}
    >
      <TextField control={form.control} name="title" label="Title" />
      <div style={{ height: '200vh' }} />
    </FormDialog>
  )
}

test('a refusal of a form that is longer than its dialog comes into view', async () => {
  await renderInConsole(<RefusedDialog />)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByRole('alert')).toBeInViewport()
})
