import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { data, secret, service } from './definitions.ts'

/** Properties of the mail Module of the CRM suite; the password is sensitive, the gateway a service. */
export const mailProperties: Record<string, PropertyDefinition> = {
  smtpHost: data(
    { type: 'string', format: 'hostname', title: 'SMTP host', maxLength: 253 },
    { group: 'Outgoing mail', order: 1, required: true, default: 'smtp.example.com' },
  ),
  smtpPort: data(
    { type: 'integer', title: 'SMTP port', minimum: 1, maximum: 65535 },
    { group: 'Outgoing mail', order: 2, required: true, default: 587 },
  ),
  smtpEncryption: data(
    { type: 'string', enum: ['starttls', 'tls', 'none'], title: 'Encryption' },
    { group: 'Outgoing mail', order: 3, default: 'starttls' },
  ),
  smtpUser: data(
    { type: 'string', title: 'SMTP user', maxLength: 120 },
    { group: 'Outgoing mail', order: 4 },
  ),
  smtpPassword: secret(
    { type: 'string', title: 'SMTP password', minLength: 8, maxLength: 200 },
    { group: 'Outgoing mail', order: 5 },
  ),
  fromAddress: data(
    { type: 'string', format: 'email', title: 'Sender address', maxLength: 254 },
    { group: 'Outgoing mail', order: 6, required: true, default: 'crm@example.com' },
  ),
  signature: data(
    {
      type: 'string',
      title: 'Signature',
      description: 'Appended to every message; may be empty.',
      maxLength: 2000,
    },
    { group: 'Outgoing mail', order: 7, default: '' },
  ),
  mailGateway: service({ group: 'Services', order: 1 }),
}
