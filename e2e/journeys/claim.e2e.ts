import { wrapData } from '#contract/protocol/data.ts'
import { mira } from '../../demo/people.ts'
import { configurationPath, field } from '../vocabulary.ts'
import { expect, test } from '../world/test.ts'

test('while an operation holds the installation the form says whose it is, and opens by itself when it ends', async ({
  system,
  signIn,
}) => {
  const scope = system.newScope()
  await system.install(scope, 'crm-suite', '1.0.0')
  await system.script.add({
    when: { workspaceId: scope.workspaceId },
    behaviour: { kind: 'unknown' },
  })
  const page = await signIn('olivia', configurationPath(scope, 'production/crm-suite/MODULE/crm-mail'))
  await expect(field(page, 'SMTP user')).toBeEditable()

  const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
  await system.configure(scope, mail, 'smtpUser', wrapData('mira'), mira)
  const lock = page.getByRole('region', { name: 'Locked by an operation' })
  await expect(lock).toContainText('Configure by Mira Castellan, started')
  await expect(field(page, 'SMTP user')).not.toBeEditable()
  await expect(lock).toContainText('Waiting')
  await expect(lock).toContainText('Next retry in')
  await expect(lock.getByRole('link', { name: 'Configure' })).toHaveAttribute('href', /\/operations\/./)

  await system.script.clear()
  await expect(lock).toHaveCount(0)
  await expect(field(page, 'SMTP user')).toBeEditable()
  await expect(field(page, 'SMTP user')).toHaveValue('mira')
})
